package sandboxtest

import (
	"os"
	"strconv"
	"syscall"
)

// closeOnExec keeps the descriptors that this process was given without
// close-on-exec, or that the suite opened so, out of what is started next.
func closeOnExec() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return // what then gets through is reported as the gap that it is
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= execFD {
			syscall.CloseOnExec(fd)
		}
	}
}
