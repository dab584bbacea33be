package sandboxtest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unsafe"

	"github.com/dsh-go/dsh/sandbox"
)

// devPrefixes are with what the paths of the suite's files in /dev begin. Only
// root can make the first ones.
func devPrefixes(token string) []string {
	return []string{"/dev/" + token + "-", "/dev/shm/" + token + "-"}
}

// keepXattr sets the attribute that attempts remove. Where it cannot be set
// those attempts fail in the control.
func keepXattr(path string) { _ = syscall.Setxattr(path, keptXattr, []byte("1"), 0) }

// describeMore tells what only this system has, or calls so: above all the
// time of the last change, which tells of changes that left the same value.
func describeMore(path string, info fs.FileInfo, st *syscall.Stat_t) string {
	return fmt.Sprintf(" device %d ctime %d.%09d xattrs %q flags %#x", st.Rdev, st.Ctim.Sec, st.Ctim.Nsec,
		xattrsOf(path, info), inodeFlags(path, info))
}

func xattrsOf(path string, info fs.FileInfo) string {
	if info.Mode()&fs.ModeSymlink != 0 {
		return ""
	}
	names := make([]byte, 4096)
	n, err := syscall.Listxattr(path, names)
	if err != nil {
		return ""
	}
	return string(bytes.TrimRight(names[:n], "\x00"))
}

func inodeFlags(path string, info fs.FileInfo) (flags uint32) {
	if info.Mode().IsRegular() {
		_ = withFD(path, syscall.O_RDONLY, func(fd int) error {
			return errorOf(invoke(sysIoctl, fd, fsGetFlags, unsafe.Pointer(&flags)))
		})
	}
	return flags
}

// nodes are the machine's inodes on which an effect is attempted, too, by
// place. The values there are written as they are found.
func nodes(effect sandbox.Effect) map[sandbox.Place][]string {
	devices := []string{"/dev/full", "/dev/null"}
	switch effect {
	case sandbox.EffectMode, sandbox.EffectOwner:
		return map[sandbox.Place][]string{sandbox.PlaceDev: devices, sandbox.PlaceProc: {"/proc/version"}}
	case sandbox.EffectTimes:
		return map[sandbox.Place][]string{
			sandbox.PlaceDev:  devices,
			sandbox.PlaceProc: {"/proc/version", "/proc/sys/kernel/printk", "/proc/" + ownPID() + "/status"},
		}
	case sandbox.EffectXattr, sandbox.EffectInodeFlags:
		return map[sandbox.Place][]string{sandbox.PlaceDev: devices}
	default:
		return nil
	}
}

// restoreNodes removes the attributes that attempts may have left on the
// machine's device nodes.
func restoreNodes() {
	for _, path := range nodes(sandbox.EffectXattr)[sandbox.PlaceDev] {
		for _, class := range []string{"user.", "trusted.", "security."} {
			_ = syscall.Removexattr(path, class+ownXattr) // most of them were never set
		}
	}
}

const detach = 2 // MNT_DETACH

// unmountAll unmounts what attempts mounted beneath the suite's directories,
// and fails if anything stays there.
func unmountAll(token string) error {
	points, err := mountPoints()
	if err != nil {
		return err
	}
	for i := len(points) - 1; i >= 0; i-- {
		if strings.Contains(points[i], token) {
			if err := syscall.Unmount(points[i], detach); err != nil {
				return &os.PathError{Op: "unmount", Path: points[i], Err: err}
			}
		}
	}
	return nil
}
