package subprocesslocal

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// closedPipe returns a pipe whose ends no other start inherits. Without
// pipe2(2) the fork lock keeps starts away until the flags are set.
func closedPipe() (r, w int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil {
		return -1, -1, os.NewSyscallError("pipe", err)
	}
	unix.CloseOnExec(ends[0])
	unix.CloseOnExec(ends[1])
	return ends[0], ends[1], nil
}
