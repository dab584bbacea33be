package subprocesslocal

import (
	"math"

	"golang.org/x/sys/unix"
)

// sealDescriptors marks every descriptor of this program but the standard ones
// close-on-exec, so that what the program itself inherited is not passed on.
// Descriptors that a start gives to its child are duplicates that the child
// makes after that.
func sealDescriptors() {
	if unix.CloseRange(firstFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) != nil {
		sealEach("/proc/self/fd")
	}
}
