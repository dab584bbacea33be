package sandboxtest

import (
	"runtime"
	"syscall"
	"unsafe"
)

// none is the number of a call that an architecture does not have.
const none = -1

// Numbers from 403 on are the same everywhere.
const (
	sysOpenTree      = 428
	sysMoveMount     = 429
	sysOpenat2       = 437
	sysMountSetattr  = 442
	sysFchmodat2     = 452
	sysSetxattrat    = 463
	sysRemovexattrat = 466
	sysOpenTreeAttr  = 467
	sysFileGetattr   = 468
	sysFileSetattr   = 469

	sysIOUringSetup = 425
	sysIOUringEnter = 426
)

// Constants of openat(2) and its relatives that package syscall lacks.
const (
	atFDCWD           = -100
	atSymlinkNoFollow = 0x100
	atRemoveDir       = 0x200
	atSymlinkFollow   = 0x400
	atEmptyPath       = 0x1000
	oPath             = 0x200000
	oTmpfile          = 0x400000 | syscall.O_DIRECTORY
)

// invoke makes a system call. Its arguments are integers, strings, byte
// slices and pointers, the latter as unsafe.Pointer.
func invoke(number int, args ...any) (int, error) {
	if number == none {
		return -1, syscall.ENOSYS
	}
	var raw [6]uintptr
	kept := make([][]byte, 0, len(args))
	for i, arg := range args {
		switch a := arg.(type) {
		case int:
			raw[i] = uintptr(a)
		case uint32:
			raw[i] = uintptr(a)
		case string:
			text, err := syscall.ByteSliceFromString(a)
			if err != nil {
				return -1, err
			}
			kept = append(kept, text)
			raw[i] = uintptr(unsafe.Pointer(&text[0]))
		case []byte:
			raw[i] = uintptr(unsafe.Pointer(unsafe.SliceData(a)))
		case unsafe.Pointer:
			raw[i] = uintptr(a)
		default:
			return -1, syscall.EINVAL
		}
	}
	r, _, errno := syscall.Syscall6(uintptr(number), raw[0], raw[1], raw[2], raw[3], raw[4], raw[5])
	runtime.KeepAlive(args)
	runtime.KeepAlive(kept)
	if errno != 0 {
		return -1, errno
	}
	return int(r), nil
}

// errorOf drops the value of a call.
func errorOf(_ int, err error) error { return err }

// call is an attempt that consists of one system call.
func call(number int, args func(v victim) []any) func(victim) error {
	if number == none {
		return nil
	}
	return func(v victim) error { return errorOf(invoke(number, args(v)...)) }
}

// openHow is struct open_how of openat2(2).
type openHow struct{ flags, mode, resolve uint64 }

func openat2(path string, flags int, f func(fd int) error) error {
	how := openHow{flags: uint64(flags | syscall.O_CLOEXEC)}
	if flags&syscall.O_CREAT != 0 {
		how.mode = 0o644
	}
	fd, err := invoke(sysOpenat2, atFDCWD, path, unsafe.Pointer(&how), int(unsafe.Sizeof(how)))
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	return f(fd)
}
