package sandboxtest

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// capSysAdmin and the others are what a process in a user namespace of its
// own needs to arrange mounts and to reopen by handle.
const (
	capDACOverride   = 1
	capDACReadSearch = 2
	capSysAdmin      = 21
)

// namespaces returns the ways to start a process in namespaces of its own, to
// be tried in this order. A sandbox may not let anybody write the identity
// maps of a user namespace; capabilities in it can be had without.
func namespaces(v via) []*syscall.SysProcAttr {
	if v == inMount {
		return []*syscall.SysProcAttr{{Cloneflags: syscall.CLONE_NEWNS}}
	}
	const flags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID
	return []*syscall.SysProcAttr{
		{
			Cloneflags:  flags,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		},
		{Cloneflags: flags, AmbientCaps: []uintptr{capDACOverride, capDACReadSearch, capSysAdmin}},
	}
}

// enter makes the mounts of a new namespace private, so that what is arranged
// there cannot reach the host's mounts. In a new user namespace they cannot
// anyway.
func enter(v via) error {
	if v != inMount {
		return nil
	}
	byMount := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	if byMount == nil {
		return nil
	}
	const recursive = 0x8000 // AT_RECURSIVE
	attr := mountAttr{propagation: syscall.MS_PRIVATE}
	bySetattr := errorOf(invoke(sysMountSetattr, atFDCWD, "/", recursive, unsafe.Pointer(&attr), int(unsafe.Sizeof(attr))))
	if bySetattr == nil {
		return nil
	}
	return errors.Join(byMount, bySetattr)
}
