//go:build linux || darwin

package subprocesslocal

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// readNow reads from f once without waiting. It returns 0 at the end, and when
// nothing is there.
func readNow(conn syscall.RawConn, buf []byte) int {
	var n int
	conn.Control(func(fd uintptr) { n = attempt(func() (int, error) { return unix.Read(int(fd), buf) }) })
	return n
}

// writeNow writes what fits into f without waiting.
func writeNow(f *os.File, p []byte) int {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	var n int
	conn.Control(func(fd uintptr) {
		for n < len(p) {
			k := attempt(func() (int, error) { return unix.Write(int(fd), p[n:]) })
			if k == 0 {
				return
			}
			n += k
		}
	})
	return n
}

// attempt repeats op while signals interrupt it, and returns 0 for an error.
func attempt(op func() (int, error)) int {
	for {
		n, err := op()
		if err == nil {
			return n
		}
		if err != unix.EINTR {
			return 0
		}
	}
}

// waiting is how many bytes are in the pipe now.
func waiting(conn syscall.RawConn) int {
	var n int
	conn.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unreadBytes) })
	return n
}
