//go:build unix

package sandboxtest

import (
	"net"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// longAgo is the modification time that attempts set.
var longAgo = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

// portableAttempts are those of every system with a sandbox.
func portableAttempts() []attempt {
	return slices.Concat(
		of(sandbox.EffectCreate, []attempt{
			{name: "open to create", do: func(v victim) error {
				return put(v.path("new"), os.O_WRONLY|os.O_CREATE|os.O_EXCL)
			}},
		}),
		of(sandbox.EffectOverwrite, []attempt{
			{name: "write", do: func(v victim) error { return put(v.path("file"), os.O_WRONLY) }},
			{name: "open to read and write", do: func(v victim) error { return put(v.path("file"), os.O_RDWR) }},
			{name: "shared mapping", do: overwriteMapping},
		}),
		of(sandbox.EffectAppend, []attempt{
			{name: "write at the end", do: func(v victim) error { return put(v.path("file"), os.O_WRONLY|os.O_APPEND) }},
		}),
		of(sandbox.EffectTruncate, []attempt{
			{name: "truncate", do: func(v victim) error { return os.Truncate(v.path("file"), 0) }},
			{name: "open to write and truncate", do: opening(os.O_WRONLY | os.O_TRUNC)},
			{name: "open to read and truncate", do: opening(os.O_RDONLY | os.O_TRUNC)},
		}),
		of(sandbox.EffectTruncateDescriptor, []attempt{
			{name: "ftruncate", do: func(v victim) error {
				return withFD(v.path("file"), syscall.O_WRONLY, func(fd int) error { return syscall.Ftruncate(fd, 1) })
			}},
		}),
		of(sandbox.EffectUnlink, []attempt{
			{name: "unlink", do: func(v victim) error { return syscall.Unlink(v.path("file")) }},
		}),
		of(sandbox.EffectRename, []attempt{
			{name: "rename", do: func(v victim) error { return os.Rename(v.path("file"), v.path("new")) }},
			{name: "rename over a file", with: []string{withSecond}, do: func(v victim) error {
				return os.Rename(v.path("file"), v.path("second"))
			}},
		}),
		of(sandbox.EffectRenameAcross, []attempt{
			{name: "rename", with: []string{withDir}, do: func(v victim) error {
				return os.Rename(v.path("file"), v.path("dir/new"))
			}},
			{name: "rename of a directory", with: []string{withDir, withTree}, do: func(v victim) error {
				return os.Rename(v.path("tree"), v.path("dir/new"))
			}},
		}),
		of(sandbox.EffectHardLink, []attempt{
			{name: "link", do: func(v victim) error { return os.Link(v.path("file"), v.path("new")) }},
		}),
		of(sandbox.EffectSymlink, []attempt{
			{name: "symlink", do: func(v victim) error { return os.Symlink("file", v.path("new")) }},
		}),
		of(sandbox.EffectMkdir, []attempt{
			{name: "mkdir", do: func(v victim) error { return syscall.Mkdir(v.path("new"), 0o755) }},
		}),
		of(sandbox.EffectRmdir, []attempt{
			{name: "rmdir", with: []string{withDir}, do: func(v victim) error { return syscall.Rmdir(v.path("dir")) }},
		}),
		of(sandbox.EffectFIFO, []attempt{
			{name: "mkfifo", do: func(v victim) error { return syscall.Mkfifo(v.path("new"), 0o644) }},
		}),
		of(sandbox.EffectSocket, []attempt{
			{name: "bind", do: bindSocket},
		}),
		of(sandbox.EffectMode, []attempt{
			{name: "chmod", do: func(v victim) error { return syscall.Chmod(v.file(), v.mode()) }},
			{name: "fchmod", do: func(v victim) error {
				return withFD(v.file(), syscall.O_RDONLY, func(fd int) error { return syscall.Fchmod(fd, v.mode()) })
			}},
		}),
		of(sandbox.EffectOwner, []attempt{
			{name: "lchown", do: withOwner(func(v victim, uid, gid int) error { return syscall.Lchown(v.file(), uid, gid) })},
		}),
		of(sandbox.EffectTimes, []attempt{
			{name: "utimes", do: func(v victim) error { return os.Chtimes(v.file(), time.Now(), v.mtime()) }},
		}),
	)
}

// renameAway are the ways between a place and the workspace.
func renameAway() []attempt {
	elsewhere := []sandbox.Place{sandbox.PlaceBeside, sandbox.PlaceHome, sandbox.PlaceTemp, sandbox.PlaceDev}
	return slices.Concat(
		of(sandbox.EffectRenameAcross, []attempt{
			{
				name: "rename into the workspace", places: elsewhere, needed: mayWork,
				do: func(v victim) error { return os.Rename(v.path("file"), v.moved()) },
			},
		}),
		of(sandbox.EffectHardLink, []attempt{
			{
				name: "link into the workspace", places: elsewhere, needed: mayWork,
				do: func(v victim) error { return os.Link(v.path("file"), v.moved()) },
			},
		}),
		of(sandbox.EffectRenameAcross, []attempt{
			{
				name: "rename from the workspace", places: elsewhere, needed: mayWork,
				do: func(v victim) error {
					if err := put(v.moved(), os.O_WRONLY|os.O_CREATE|os.O_EXCL); err != nil {
						return err
					}
					return os.Rename(v.moved(), v.path("new"))
				},
			},
		}),
		of(sandbox.EffectHardLink, []attempt{
			{
				name: "link from the workspace", places: elsewhere, needed: mayWork,
				do: func(v victim) error {
					if err := put(v.moved(), os.O_WRONLY|os.O_CREATE|os.O_EXCL); err != nil {
						return err
					}
					return os.Link(v.moved(), v.path("new"))
				},
			},
		}),
		of(sandbox.EffectOverwrite, []attempt{
			{
				name: "through a symbolic link in the workspace", places: elsewhere, needed: mayWork,
				do: func(v victim) error {
					if err := os.Symlink(v.path("file"), v.moved()); err != nil {
						return err
					}
					return put(v.moved(), os.O_WRONLY)
				},
			},
		}),
	)
}

// put writes one byte.
func put(path string, flags int) error {
	return withFD(path, flags|syscall.O_NONBLOCK|syscall.O_NOCTTY, func(fd int) error {
		_, err := syscall.Write(fd, []byte("x"))
		return err
	})
}

// withFD opens without a wait, so that no FIFO and no device can block it.
func withFD(path string, flags int, f func(fd int) error) error {
	fd, err := syscall.Open(path, flags|syscall.O_CLOEXEC|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0o644)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	return f(fd)
}

func opening(flags int) func(victim) error {
	return func(v victim) error { return withFD(v.path("file"), flags, func(int) error { return nil }) }
}

func overwriteMapping(v victim) error {
	return withFD(v.path("file"), syscall.O_RDWR, func(fd int) error {
		memory, err := syscall.Mmap(fd, 0, len(content), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		if err != nil {
			return err
		}
		memory[0] = 'x'
		return syscall.Munmap(memory)
	})
}

func bindSocket(v victim) error {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: v.path("new"), Net: "unix"})
	if err != nil {
		return err
	}
	listener.SetUnlinkOnClose(false)
	return listener.Close()
}

// mode is the one to set.
func (v victim) mode() uint32 {
	var st syscall.Stat_t
	if v.Fixed && syscall.Stat(v.Prefix, &st) == nil {
		return uint32(st.Mode) & 0o7777
	}
	return 0o600
}

// mtime is the modification time to set.
func (v victim) mtime() time.Time {
	if info, err := os.Stat(v.Prefix); v.Fixed && err == nil {
		return info.ModTime()
	}
	return longAgo
}

// otherUser is to whom root gives a file.
const otherUser = 65534

// withOwner tells f whom to give the file: for root somebody else, for an
// ordinary user another one of its groups.
func withOwner(f func(v victim, uid, gid int) error) func(victim) error {
	return func(v victim) error {
		var st syscall.Stat_t
		if err := syscall.Lstat(v.file(), &st); err != nil {
			return err
		}
		if v.Fixed {
			return f(v, int(st.Uid), int(st.Gid))
		}
		if os.Geteuid() == 0 {
			return f(v, otherUser, otherUser)
		}
		groups, err := os.Getgroups()
		if err != nil {
			return err
		}
		for _, gid := range groups {
			if gid != int(st.Gid) {
				return f(v, -1, gid)
			}
		}
		return syscall.EPERM
	}
}
