package sandboxlocal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/dsh-go/dsh/sandbox-local/internal/lockdown"
	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
)

// attemptArg makes the test binary try changes from inside a sandbox:
// "dsh-attempt PATH NAME...". It prints a line for each, and a last line.
const attemptArg = "dsh-attempt"

const (
	wentThrough = "went through"
	lastLine    = "attempted"
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == landlockrun.SelfArg:
		os.Exit(landlockrun.Main(os.Args[2:]))
	case len(os.Args) == 3 && os.Args[1] == withoutLandlockArg:
		os.Exit(confineWithoutLandlock(os.Args[2]))
	case len(os.Args) > 3 && os.Args[1] == attemptArg:
		attemptAll(os.Args[2], os.Args[3:])
		return
	}
	os.Exit(m.Run())
}

func attemptAll(path string, names []string) {
	for _, name := range names {
		fmt.Printf("%s\t%s\n", name, attempt(path, name))
	}
	fmt.Println(lastLine)
}

// attempt gives each one a thread of its own, and one that is to be made from
// namespaces of its own a process.
func attempt(path, name string) string {
	inner, nested := strings.CutPrefix(name, "nested ")
	if nested {
		return attemptNested(path, inner)
	}
	try, known := attempts[name]
	if !known {
		return "no such attempt"
	}
	if err := lockdown.OnThread(func() error { return try(path) }); err != nil {
		return strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return wentThrough
}

// attemptNested gives the attempt all capabilities over a mount namespace.
func attemptNested(path, name string) string {
	cmd := exec.Command("/proc/self/exe", attemptArg, path, name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS}
	out, err := cmd.Output()
	if err != nil {
		return err.Error()
	}
	line, _, _ := strings.Cut(string(out), "\n")
	_, result, _ := strings.Cut(line, "\t")
	return result
}

// Numbers that this version of x/sys may lack on one architecture.
const (
	sysIOUringSetup = 425
	fsIOCSetFlags   = 0x40086602
	fsNoDump        = 0x40 // FS_NODUMP_FL: harmless, and anybody's own to set
)

// attempts change the metadata of a file, or what else a mode must not allow,
// by the system calls that no file right governs. Where the host would suffer
// from a success they set what is set already: that needs the same rights, and
// shows in the file's change time.
var attempts = map[string]func(path string) error{
	"chmod":     func(path string) error { return unix.Chmod(path, stat(path).Mode&0o7777) },
	"fchmod":    onOpen(func(fd int, st unix.Stat_t) error { return unix.Fchmod(fd, st.Mode&0o7777) }),
	"fchmodat2": fchmodat2,
	"chown":     func(path string) error { st := stat(path); return unix.Lchown(path, int(st.Uid), int(st.Gid)) },
	"fchown":    onOpen(func(fd int, st unix.Stat_t) error { return unix.Fchown(fd, int(st.Uid), int(st.Gid)) }),
	"fchownat": func(path string) error {
		st := stat(path)
		return unix.Fchownat(unix.AT_FDCWD, path, int(st.Uid), int(st.Gid), 0)
	},
	"touch": func(path string) error { // to the present, for which a right to write will do
		return unix.UtimesNanoAt(unix.AT_FDCWD, path, nil, 0)
	},
	"utimensat": func(path string) error {
		st := stat(path)
		return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{st.Atim, st.Mtim}, 0)
	},
	"futimens": onOpen(func(fd int, st unix.Stat_t) error {
		at, mt := unix.NsecToTimeval(st.Atim.Nano()), unix.NsecToTimeval(st.Mtim.Nano())
		return unix.Futimes(fd, []unix.Timeval{at, mt})
	}),
	"setxattr":     func(path string) error { return unix.Setxattr(path, "user.x", []byte("1"), 0) },
	"lsetxattr":    func(path string) error { return unix.Lsetxattr(path, "user.x", []byte("1"), 0) },
	"fsetxattr":    onOpen(func(fd int, _ unix.Stat_t) error { return unix.Fsetxattr(fd, "user.x", []byte("1"), 0) }),
	"setxattrat":   setxattrat,
	"removexattr":  func(path string) error { return unix.Removexattr(path, "user.kept") },
	"fremovexattr": onOpen(func(fd int, _ unix.Stat_t) error { return unix.Fremovexattr(fd, "user.kept") }),
	"acl": func(path string) error {
		return unix.Setxattr(path, "system.posix_acl_access", minimalACL(stat(path).Mode), 0)
	},
	// Some kernels let anybody do this to an inode of anybody's.
	"label": func(path string) error {
		const name = "security.dsh.attempt"
		if err := unix.Setxattr(path, name, []byte("1"), 0); err != nil {
			return err
		}
		return unix.Removexattr(path, name)
	},
	"setflags": onOpen(func(fd int, _ unix.Stat_t) error {
		flags, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
		if err != nil {
			return err
		}
		flags ^= fsNoDump
		return raw(unix.SYS_IOCTL, uintptr(fd), fsIOCSetFlags, uintptr(unsafe.Pointer(&flags)))
	}),
	"file_setattr": fileSetattr,
	"truncate":     func(path string) error { return unix.Truncate(path, 0) },
	"O_TRUNC":      func(path string) error { return open(path, unix.O_RDONLY|unix.O_TRUNC) },
	"O_TRUNC|3":    func(path string) error { return open(path, 3|unix.O_TRUNC) },
	"mount_setattr": func(path string) error {
		return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	},
	"remount": func(path string) error {
		if err := unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, ""); err != nil {
			return err
		}
		return open(path, unix.O_WRONLY)
	},
	"open_tree": func(path string) error {
		fd, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)
		_ = fd
		return err
	},
	"io_uring": func(path string) error {
		var params [120]byte
		return raw(sysIOUringSetup, 4, uintptr(unsafe.Pointer(&params)))
	},
	"by handle": byHandle,
	"link away": func(path string) error { return unix.Link(path, "/proc/self/cwd/linked") },
	"device node": func(path string) error {
		node := "/tmp/dsh-must-not-exist"
		if err := unix.Mknod(node, unix.S_IFBLK|0o600, int(unix.Mkdev(7, 0))); err != nil {
			return err
		}
		return unix.Unlink(node)
	},
	"rename across": func(path string) error { return unix.Rename(path, "moved") },
	"sethostname": func(path string) error {
		name, err := os.Hostname()
		if err != nil {
			return err
		}
		return unix.Sethostname([]byte(name))
	},
	"x32 chmod": func(path string) error { return raw(0x40000000|90, cstr(path), 0o700) },
}

// minimalACL is the access control list that says what the mode says (acl(5),
// in the layout of linux/posix_acl_xattr.h).
func minimalACL(mode uint32) []byte {
	list := []byte{2, 0, 0, 0}
	for _, entry := range []struct {
		tag   byte
		shift uint32
	}{{0x01, 6}, {0x04, 3}, {0x20, 0}} {
		list = append(list, entry.tag, 0, byte(mode>>entry.shift&7), 0, 0xff, 0xff, 0xff, 0xff)
	}
	return list
}

// stat leaves it to the attempt to fail where there is nothing.
func stat(path string) (st unix.Stat_t) {
	_ = unix.Lstat(path, &st)
	return st
}

func fchmodat2(path string) error {
	return raw(unix.SYS_FCHMODAT2, atCWD, cstr(path), uintptr(stat(path).Mode&0o7777), unix.AT_SYMLINK_NOFOLLOW)
}

var atCWD = ^uintptr(99) // AT_FDCWD: -100

func raw(number uintptr, args ...uintptr) error {
	var six [6]uintptr
	copy(six[:], args)
	if _, _, errno := unix.Syscall6(number, six[0], six[1], six[2], six[3], six[4], six[5]); errno != 0 {
		return errno
	}
	return nil
}

// cstr leaks: an attempt is all that its process does.
func cstr(s string) uintptr {
	p, err := unix.BytePtrFromString(s)
	if err != nil {
		panic(err)
	}
	held = append(held, p)
	return uintptr(unsafe.Pointer(p))
}

var held []*byte

func open(path string, flags int) error {
	fd, err := unix.Open(path, flags, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func onOpen(f func(fd int, st unix.Stat_t) error) func(string) error {
	return func(path string) error {
		fd, err := unix.Open(path, unix.O_RDONLY, 0)
		if err != nil {
			return fmt.Errorf("opening: %w", err)
		}
		return f(fd, stat(path))
	}
}

func setxattrat(path string) error {
	value := []byte("1")
	args := struct {
		value       uint64
		size, flags uint32
	}{uint64(uintptr(unsafe.Pointer(&value[0]))), 1, 0}
	return raw(unix.SYS_SETXATTRAT, atCWD, cstr(path), 0, cstr("user.x"), uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args))
}

func fileSetattr(path string) error {
	attr := struct {
		flags                             uint64
		extents, nextents, project, cowes uint32
	}{flags: 0x80} // FS_XFLAG_NODUMP
	return raw(unix.SYS_FILE_SETATTR, atCWD, cstr(path), uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
}

// byHandle reopens a file for writing past whatever mount shows it.
func byHandle(path string) error {
	handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, path, 0)
	if err != nil {
		return fmt.Errorf("asking for the handle: %w", err)
	}
	var errs error
	for _, anchor := range []string{"/", "/var/tmp", "/proc/self/cwd", "."} {
		at, err := unix.Open(anchor, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			continue
		}
		fd, err := unix.OpenByHandleAt(at, handle, unix.O_WRONLY|unix.O_TRUNC)
		if err == nil {
			return unix.Close(fd)
		}
		errs = errors.Join(errs, err)
	}
	return errs
}
