package main

import "golang.org/x/sys/unix"

// missingLandlock asks the kernel for its ABI version.
func missingLandlock() error {
	_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return errno
	}
	return nil
}
