package subprocesslocal

import (
	"os"

	"golang.org/x/sys/unix"
)

// closedPipe returns a pipe whose ends no other start inherits.
func closedPipe() (r, w int, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, os.NewSyscallError("pipe2", err)
	}
	return ends[0], ends[1], nil
}
