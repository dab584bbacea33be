package subprocesslocal

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openDirectory holds dir open, so that a child enters this very directory
// even if it is renamed, replaced or removed during the start. It fails if dir
// cannot be entered. Where dir cannot be held, or there is no /proc, the child
// goes by the path.
func openDirectory(dir string) (directory, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	switch err {
	case nil:
	case unix.EMFILE, unix.ENFILE, unix.ENOMEM: // nothing is wrong with dir
		return byPath(dir)
	default:
		return directory{}, &os.PathError{Op: "chdir", Path: dir, Err: err}
	}
	held := directory{name: "/proc/self/fd/" + strconv.Itoa(fd), fd: fd}
	switch err := unix.Faccessat(unix.AT_FDCWD, held.name, unix.X_OK, unix.AT_EACCESS); err {
	case nil:
		return held, nil
	case unix.EACCES:
		held.release()
		return directory{}, &os.PathError{Op: "chdir", Path: dir, Err: err}
	default:
		held.release()
		return byPath(dir)
	}
}
