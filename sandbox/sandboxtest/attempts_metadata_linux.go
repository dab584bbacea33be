package sandboxtest

import (
	"os"
	"slices"
	"syscall"
	"unsafe"

	"github.com/dsh-go/dsh/sandbox"
)

func modeAttempts() []attempt {
	return slices.Concat(
		of(sandbox.EffectMode, []attempt{
			{name: "chmod (the oldest call)", do: call(sysChmod, func(v victim) []any { return []any{v.file(), v.mode()} })},
			{name: "fchmodat", do: call(sysFchmodat, func(v victim) []any { return []any{atFDCWD, v.file(), v.mode()} })},
			{name: "fchmodat2", do: call(sysFchmodat2, func(v victim) []any {
				return []any{atFDCWD, v.file(), v.mode(), atSymlinkNoFollow}
			})},
			{name: "fchmodat2 of O_PATH", do: onFD(oPath, func(v victim, fd int) error {
				return errorOf(invoke(sysFchmodat2, fd, "", v.mode(), atEmptyPath))
			})},
			{name: "chmod of /proc/self/fd", do: onFD(oPath, func(v victim, fd int) error {
				return syscall.Chmod(ownFD(fd), v.mode())
			})},
		}),
		of(sandbox.EffectOwner, []attempt{
			{name: "chown", do: withOwner(func(v victim, uid, gid int) error { return os.Chown(v.file(), uid, gid) })},
			{name: "chown (the oldest call)", do: ifCalled(sysChown, withOwner(func(v victim, uid, gid int) error {
				return errorOf(invoke(sysChown, v.file(), uid, gid))
			}))},
			{name: "fchown", do: withOwner(func(v victim, uid, gid int) error {
				return onFD(syscall.O_RDONLY, func(_ victim, fd int) error { return syscall.Fchown(fd, uid, gid) })(v)
			})},
			{name: "fchownat of O_PATH", do: withOwner(func(v victim, uid, gid int) error {
				return onFD(oPath, func(_ victim, fd int) error {
					return errorOf(invoke(sysFchownat, fd, "", uid, gid, atEmptyPath))
				})(v)
			})},
		}),
	)
}

// ifCalled leaves out an attempt whose call the architecture does not have.
func ifCalled(number int, do func(victim) error) func(victim) error {
	if number == none {
		return nil
	}
	return do
}

// onFD opens the file and acts on the descriptor.
func onFD(flags int, f func(v victim, fd int) error) func(victim) error {
	return func(v victim) error {
		return withFD(v.file(), flags, func(fd int) error { return f(v, fd) })
	}
}

func timeAttempts() []attempt {
	return of(sandbox.EffectTimes, []attempt{
		{name: "utimensat of O_PATH", do: onFD(oPath, func(v victim, fd int) error {
			times := v.times()
			return errorOf(invoke(sysUtimensat, fd, "", unsafe.Pointer(&times), atEmptyPath))
		})},
		{name: "futimens", do: onFD(syscall.O_RDONLY, func(v victim, fd int) error {
			times := v.times()
			return errorOf(invoke(sysUtimensat, fd, 0, unsafe.Pointer(&times), 0))
		})},
		{name: "utimensat to now", do: call(sysUtimensat, func(v victim) []any {
			return []any{atFDCWD, v.file(), 0, atSymlinkNoFollow}
		})},
		{name: "utime", places: directories, do: call(sysUtime, func(v victim) []any {
			times := [2]int64{longAgo.Unix(), longAgo.Unix()}
			return []any{v.file(), unsafe.Pointer(&times)}
		})},
		{name: "utimes (the oldest call)", places: directories, do: call(sysUtimes, func(v victim) []any {
			times := [2]syscall.Timeval{{Sec: 1}, {Sec: 1}}
			return []any{v.file(), unsafe.Pointer(&times)}
		})},
		{name: "futimesat", places: directories, do: call(sysFutimesat, func(v victim) []any {
			times := [2]syscall.Timeval{{Sec: 1}, {Sec: 1}}
			return []any{atFDCWD, v.file(), unsafe.Pointer(&times)}
		})},
	})
}

// times are the access time, left alone, and the modification time to set.
func (v victim) times() [2]syscall.Timespec {
	const omit = 1<<30 - 2 // UTIME_OMIT
	return [2]syscall.Timespec{{Nsec: omit}, syscall.NsecToTimespec(v.mtime().UnixNano())}
}

// keptXattr is an attribute that the suite's files have, where the file
// system can store it, and ownXattr is one that they lack.
const (
	keptXattr = "user.dsh-kept"
	ownXattr  = "dsh-conformance"
)

// minimalACL says what a mode of 0600 says, in the form of acl(5)'s
// attribute: version 2, then tag, permissions and an identity that is unused.
var minimalACL = []byte{
	2, 0, 0, 0,
	0x01, 0, 6, 0, 0xff, 0xff, 0xff, 0xff,
	0x04, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
	0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
}

// acl says what the mode to set says.
func (v victim) acl() []byte {
	acl, mode := append([]byte(nil), minimalACL...), v.mode()
	acl[6], acl[14], acl[22] = byte(mode>>6&7), byte(mode>>3&7), byte(mode&7)
	return acl
}

func setXattr(number int, name string) func(victim) error {
	return call(number, func(v victim) []any { return []any{v.file(), name, []byte("1"), 1, 0} })
}

func xattrAttempts() []attempt {
	return of(sandbox.EffectXattr, []attempt{
		{name: "setxattr of an access list", do: call(sysSetxattr, func(v victim) []any {
			acl := v.acl()
			return []any{v.file(), "system.posix_acl_access", acl, len(acl), 0}
		})},
		{name: "setxattr", do: setXattr(sysSetxattr, "user."+ownXattr)},
		{name: "lsetxattr", do: setXattr(sysLsetxattr, "user."+ownXattr)},
		{name: "fsetxattr", do: onFD(syscall.O_RDONLY, func(_ victim, fd int) error {
			return errorOf(invoke(sysFsetxattr, fd, "user."+ownXattr, []byte("1"), 1, 0))
		})},
		{name: "setxattrat", do: func(v victim) error {
			args := xattrArgs{value: uint64(uintptr(unsafe.Pointer(&xattrValue))), size: 1}
			return errorOf(invoke(sysSetxattrat, atFDCWD, v.file(), 0, "user."+ownXattr, unsafe.Pointer(&args), int(unsafe.Sizeof(args))))
		}},
		{name: "setxattr of trusted", needed: mayWork, do: setXattr(sysSetxattr, "trusted."+ownXattr)},
		{name: "setxattr of security", needed: mayWork, do: setXattr(sysSetxattr, "security."+ownXattr)},
		{name: "removexattr", places: directories, do: call(sysRemovexattr, func(v victim) []any {
			return []any{v.file(), keptXattr}
		})},
		{name: "lremovexattr", places: directories, do: call(sysLremovexattr, func(v victim) []any {
			return []any{v.file(), keptXattr}
		})},
		{name: "fremovexattr", places: directories, do: onFD(syscall.O_RDONLY, func(_ victim, fd int) error {
			return errorOf(invoke(sysFremovexattr, fd, keptXattr))
		})},
		{name: "removexattrat", places: directories, do: call(sysRemovexattrat, func(v victim) []any {
			return []any{atFDCWD, v.file(), 0, keptXattr}
		})},
	})
}

// xattrValue is what the attributes hold. It does not move in memory.
var xattrValue = [1]byte{'1'}

// xattrArgs is struct xattr_args of setxattrat(2).
type xattrArgs struct {
	value       uint64
	size, flags uint32
}

// Commands of ioctl(2) and structures from linux/fs.h.
const (
	fsGetFlags   uint32 = 0x80086601
	fsSetFlags   uint32 = 0x40086602
	fsSetVersion uint32 = 0x40087602
	fsGetXattr   uint32 = 0x801c581f
	fsSetXattr   uint32 = 0x401c5820
	noDump       uint32 = 0x40 // FS_NODUMP_FL: anybody's own to set, and harmless
	xNoDump      uint32 = 0x80 // FS_XFLAG_NODUMP
)

type fsxattr struct {
	flags, extent, extents, project, cowExtent uint32
	_                                          [8]byte
}

type fileAttr struct {
	flags                               uint64
	extent, extents, project, cowExtent uint32
}

func flagAttempts() []attempt {
	return of(sandbox.EffectInodeFlags, []attempt{
		{name: "FS_IOC_SETFLAGS", do: onFD(syscall.O_RDONLY, func(v victim, fd int) error {
			var flags uint32
			if _, err := invoke(sysIoctl, fd, fsGetFlags, unsafe.Pointer(&flags)); err != nil {
				return err
			}
			flags ^= v.flag(noDump)
			return errorOf(invoke(sysIoctl, fd, fsSetFlags, unsafe.Pointer(&flags)))
		})},
		{name: "FS_IOC_FSSETXATTR", do: onFD(syscall.O_RDONLY, func(v victim, fd int) error {
			var attr fsxattr
			if _, err := invoke(sysIoctl, fd, fsGetXattr, unsafe.Pointer(&attr)); err != nil {
				return err
			}
			attr.flags ^= v.flag(xNoDump)
			return errorOf(invoke(sysIoctl, fd, fsSetXattr, unsafe.Pointer(&attr)))
		})},
		{name: "FS_IOC_SETVERSION", places: directories, needed: mayWork, do: onFD(syscall.O_RDONLY, func(_ victim, fd int) error {
			version := uint32(7)
			return errorOf(invoke(sysIoctl, fd, fsSetVersion, unsafe.Pointer(&version)))
		})},
		{name: "file_setattr", do: func(v victim) error {
			var attr fileAttr
			if _, err := invoke(sysFileGetattr, atFDCWD, v.file(), unsafe.Pointer(&attr), int(unsafe.Sizeof(attr)), 0); err != nil {
				return err
			}
			attr.flags ^= uint64(v.flag(xNoDump))
			return errorOf(invoke(sysFileSetattr, atFDCWD, v.file(), unsafe.Pointer(&attr), int(unsafe.Sizeof(attr)), 0))
		}},
	})
}

// flag is what to change about an inode's flags.
func (v victim) flag(bit uint32) uint32 {
	if v.Fixed {
		return 0
	}
	return bit
}
