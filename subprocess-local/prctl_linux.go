package subprocesslocal

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// prctlGet asks for an attribute that prctl(2) stores into an int.
func prctlGet(option int, value *int32) error {
	return unix.Prctl(option, uintptr(unsafe.Pointer(value)), 0, 0, 0)
}
