package sandboxtest

import (
	"os"
	"slices"
	"strconv"
	"syscall"
	"unsafe"

	"github.com/dsh-go/dsh/sandbox"
)

// catalog returns every attempt that this architecture can make. Host and
// probe are the same program, so an index means the same to both. The first
// attempts of an effect are those that need the least: where one is to do for
// all, it must be the one that a sandbox with a gap lets through.
func catalog() []attempt {
	all := slices.Concat(portableAttempts(), renameAway(), contentAttempts(), nameAttempts(), nodeAttempts(),
		modeAttempts(), timeAttempts(), xattrAttempts(), flagAttempts(),
		mountAttempts(), settingAttempts(), procAttempts(), descriptorAttempts(), handleAttempts(),
		terminalAttempts(), ringAttempts())
	return slices.DeleteFunc(all, func(a attempt) bool { return a.do == nil })
}

func contentAttempts() []attempt {
	write := func(fd int) error {
		_, err := syscall.Write(fd, []byte("x"))
		return err
	}
	nothing := func(int) error { return nil }
	return slices.Concat(
		of(sandbox.EffectCreate, []attempt{
			{name: "creat", do: call(sysCreat, func(v victim) []any { return []any{v.path("new"), 0o644} })},
			{name: "openat2", do: func(v victim) error {
				return openat2(v.path("new"), syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL, write)
			}},
			{name: "O_TMPFILE and linkat", do: createNameless},
			{name: "mknod of a regular file", do: makeNode(syscall.S_IFREG, 0)},
		}),
		of(sandbox.EffectOverwrite, []attempt{
			{name: "openat2", do: func(v victim) error { return openat2(v.path("file"), syscall.O_WRONLY, write) }},
			{name: "reopening O_PATH through /proc/self/fd", do: func(v victim) error {
				return withFD(v.path("file"), oPath, func(fd int) error { return put(ownFD(fd), syscall.O_WRONLY) })
			}},
			{name: "copy_file_range", with: []string{withSecond}, do: copyRange},
			{name: "fallocate", do: func(v victim) error {
				return withFD(v.path("file"), syscall.O_WRONLY, func(fd int) error { return syscall.Fallocate(fd, 0, 0, 8192) })
			}},
		}),
		of(sandbox.EffectAppend, []attempt{
			{name: "openat2", do: func(v victim) error {
				return openat2(v.path("file"), syscall.O_WRONLY|syscall.O_APPEND, write)
			}},
		}),
		of(sandbox.EffectTruncate, []attempt{
			{name: "openat2 to read and truncate", do: func(v victim) error {
				return openat2(v.path("file"), syscall.O_RDONLY|syscall.O_TRUNC, nothing)
			}},
			{name: "open for neither and truncate", do: opening(syscall.O_ACCMODE | syscall.O_TRUNC)},
			{name: "creat", do: call(sysCreat, func(v victim) []any { return []any{v.path("file"), 0o644} })},
		}),
	)
}

func createNameless(v victim) error {
	return withFD(v.parent(), oTmpfile|syscall.O_WRONLY, func(fd int) error {
		return errorOf(invoke(sysLinkat, atFDCWD, ownFD(fd), atFDCWD, v.path("new"), atSymlinkFollow))
	})
}

func copyRange(v victim) error {
	return withFD(v.path("second"), syscall.O_RDONLY, func(from int) error {
		return withFD(v.path("file"), syscall.O_WRONLY, func(to int) error {
			return errorOf(invoke(sysCopyFileRange, from, 0, to, 0, len(secondContent), 0))
		})
	})
}

func ownFD(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// Flags of renameat2(2).
const (
	renameNoReplace = 1
	renameExchange  = 2
	renameWhiteout  = 4
)

func rename2(from, to string, flags int) func(victim) error {
	return call(sysRenameat2, func(v victim) []any {
		return []any{atFDCWD, v.path(from), atFDCWD, v.path(to), flags}
	})
}

func nameAttempts() []attempt {
	return slices.Concat(
		of(sandbox.EffectUnlink, []attempt{
			{name: "unlinkat", do: call(sysUnlinkat, func(v victim) []any { return []any{atFDCWD, v.path("file"), 0} })},
		}),
		of(sandbox.EffectRename, []attempt{
			{name: "renameat2 without replacing", do: rename2("file", "new", renameNoReplace)},
			{name: "renameat2 exchanging", with: []string{withSecond}, do: rename2("file", "second", renameExchange)},
			{name: "renameat2 leaving a whiteout", needed: mayWork, do: rename2("file", "new", renameWhiteout)},
			{name: "rename (the oldest call)", do: call(sysRename, func(v victim) []any {
				return []any{v.path("file"), v.path("new")}
			})},
		}),
		of(sandbox.EffectRenameAcross, []attempt{
			{name: "renameat2 exchanging", with: []string{withTree}, do: rename2("file", "tree/file", renameExchange)},
		}),
		of(sandbox.EffectHardLink, []attempt{
			{name: "linkat of an open file", do: func(v victim) error {
				return withFD(v.path("file"), syscall.O_RDONLY, func(fd int) error {
					return errorOf(invoke(sysLinkat, atFDCWD, ownFD(fd), atFDCWD, v.path("new"), atSymlinkFollow))
				})
			}},
			{name: "link between directories", with: []string{withDir}, do: func(v victim) error {
				return os.Link(v.path("file"), v.path("dir/new"))
			}},
		}),
		of(sandbox.EffectSymlink, []attempt{
			{name: "symlinkat", do: call(sysSymlinkat, func(v victim) []any {
				return []any{"file", atFDCWD, v.path("new")}
			})},
		}),
		of(sandbox.EffectMkdir, []attempt{
			{name: "mkdirat", do: call(sysMkdirat, func(v victim) []any { return []any{atFDCWD, v.path("new"), 0o755} })},
			{name: "btrfs subvolume", with: []string{withDir}, do: createSubvolume},
		}),
		of(sandbox.EffectRmdir, []attempt{
			{name: "unlinkat", with: []string{withDir}, do: call(sysUnlinkat, func(v victim) []any {
				return []any{atFDCWD, v.path("dir"), atRemoveDir}
			})},
		}),
	)
}

// subvolume is struct btrfs_ioctl_vol_args.
type subvolume struct {
	fd   int64
	name [4088]byte
}

const btrfsSubvolCreate = 0x5000940e // BTRFS_IOC_SUBVOL_CREATE

func createSubvolume(v victim) error {
	var args subvolume
	copy(args.name[:], "new")
	return withFD(v.path("dir"), syscall.O_RDONLY, func(fd int) error {
		return errorOf(invoke(sysIoctl, fd, btrfsSubvolCreate, unsafe.Pointer(&args)))
	})
}

func nodeAttempts() []attempt {
	return slices.Concat(
		of(sandbox.EffectFIFO, []attempt{
			{name: "mknodat", do: makeNode(syscall.S_IFIFO, 0)},
		}),
		of(sandbox.EffectSocket, []attempt{
			{name: "mknodat", do: makeNode(syscall.S_IFSOCK, 0)},
		}),
		of(sandbox.EffectDeviceNode, []attempt{
			{name: "whiteout", needed: mayWork, do: makeNode(syscall.S_IFCHR, 0)},
			{name: "mknod of a character device", needed: mayWork, do: call(sysMknod, func(v victim) []any {
				return []any{v.path("new"), syscall.S_IFCHR | 0o600, deviceNull}
			})},
			{name: "mknodat of a block device", needed: mayWork, do: makeNode(syscall.S_IFBLK, deviceLoop)},
			{name: "making a device and writing to it", needed: mustFail, judged: byResult, do: func(v victim) error {
				if err := makeNode(syscall.S_IFCHR, deviceNull)(v); err != nil {
					return err
				}
				return put(v.path("new"), syscall.O_WRONLY)
			}},
		}),
	)
}

// Device numbers, major and minor: /dev/null, and a loop device that nobody
// attaches anything to.
const (
	deviceNull = 1<<8 | 3
	deviceLoop = 7<<8 | 255
)

func makeNode(kind, device int) func(victim) error {
	return call(sysMknodat, func(v victim) []any { return []any{atFDCWD, v.path("new"), kind | 0o600, device} })
}
