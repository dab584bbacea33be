//go:build linux || darwin

package subprocesslocal

import (
	"os"

	"golang.org/x/sys/unix"
)

// directory is a working directory that can be entered.
type directory struct {
	name string // what the child changes to
	fd   int    // what keeps name good, or -1
}

func (d directory) release() {
	if d.fd >= 0 {
		unix.Close(d.fd)
	}
}

// byPath fails if dir cannot be entered now.
func byPath(dir string) (directory, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return directory{}, err
	}
	if !info.IsDir() {
		return directory{}, &os.PathError{Op: "chdir", Path: dir, Err: unix.ENOTDIR}
	}
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.X_OK, unix.AT_EACCESS); err != nil {
		return directory{}, &os.PathError{Op: "chdir", Path: dir, Err: err}
	}
	return directory{name: dir, fd: -1}, nil
}
