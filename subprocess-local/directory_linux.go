package subprocesslocal

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openDirectory holds dir open, so that a child enters this very directory
// even if it is renamed, replaced or removed during the start. It fails if dir
// cannot be entered. Without /proc the child goes by the path.
func openDirectory(dir string) (directory, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	switch err {
	case nil:
	case unix.EMFILE, unix.ENFILE, unix.ENOMEM: // nothing is wrong with dir
		return directory{name: dir, fd: -1}, nil
	default:
		return directory{}, &os.PathError{Op: "chdir", Path: dir, Err: err}
	}
	held := directory{name: "/proc/self/fd/" + strconv.Itoa(fd), certain: true, fd: fd}
	switch err := unix.Faccessat(unix.AT_FDCWD, held.name, unix.X_OK, unix.AT_EACCESS); err {
	case nil:
		return held, nil
	case unix.EACCES:
		unix.Close(fd)
		return directory{}, &os.PathError{Op: "chdir", Path: dir, Err: err}
	default:
		unix.Close(fd)
		return directory{name: dir, fd: -1}, nil
	}
}
