//go:build linux || darwin

package subprocesslocal

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// sealEach marks the descriptors that a directory of this program's own
// descriptors lists.
func sealEach(list string) {
	entries, err := os.ReadDir(list)
	if err != nil {
		sealUpTo(openFilesLimit())
		return
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= firstFD {
			unix.CloseOnExec(fd)
		}
	}
}

// sealUpTo is for systems where descriptors cannot be listed.
func sealUpTo(limit int) {
	for fd := firstFD; fd < limit; fd++ {
		unix.CloseOnExec(fd)
	}
}

func openFilesLimit() int {
	const most = 1 << 20 // the kernel's own default limit, fs.nr_open
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > most {
		return most
	}
	return int(limit.Cur)
}
