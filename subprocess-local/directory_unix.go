//go:build linux || darwin

package subprocesslocal

import (
	"os"

	"golang.org/x/sys/unix"
)

// directory is a working directory for one start.
type directory struct {
	// name is what the child changes to.
	name string
	// certain says that the child can enter name, so that an error of the
	// start is not about the directory.
	certain bool
	fd      int // what keeps name good, or -1
}

func (d directory) release() {
	if d.fd >= 0 {
		unix.Close(d.fd)
	}
}

// checkDir reports why dir cannot be entered.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &os.PathError{Op: "chdir", Path: dir, Err: unix.ENOTDIR}
	}
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.X_OK, unix.AT_EACCESS); err != nil {
		return &os.PathError{Op: "chdir", Path: dir, Err: err}
	}
	return nil
}
