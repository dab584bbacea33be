//go:build linux || darwin

package subprocesslocal

import (
	"os"

	"golang.org/x/sys/unix"
)

// enterable fails if dir cannot be entered. It asks where waiting for a file
// system that does not answer holds up this start alone: a child that waits
// holds up its parent's thread, every other start, and the garbage collector.
func enterable(dir string) error {
	// The separator is for what is no directory.
	if err := unix.Faccessat(unix.AT_FDCWD, dir+"/", unix.X_OK, unix.AT_EACCESS); err != nil {
		return &os.PathError{Op: "chdir", Path: dir, Err: err}
	}
	return nil
}

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
func byPath(dir string) (directory, error) { return directory{name: dir, fd: -1}, enterable(dir) }
