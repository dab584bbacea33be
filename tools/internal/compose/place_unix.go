//go:build unix

package compose

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// othersWrite are the permission bits that let others than the owner change a
// file.
const othersWrite = 0o022

// checkOwner returns an error if path belongs to somebody else, or may be
// changed by somebody else. A link is not followed.
func checkOwner(path string) error {
	if err := checkBelongs(path); err != nil {
		return err
	}
	return checkWritable(path)
}

func checkBelongs(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user (%d), who could change how commands are confined", path, stat.Uid)
	}
	return nil
}

// checkPlace returns an error if others than the owner of path may put something
// else in its place. A link's own mode means nothing: who owns it is who turned
// it, also where a sticky directory is everybody's.
func checkPlace(path string) error {
	if !isLink(path) {
		return checkWritable(path)
	}
	dir, err := os.Lstat(filepath.Dir(path))
	if err != nil || dir.Mode().Perm()&othersWrite == 0 {
		return err
	}
	return checkBelongs(path)
}

// checkWritable returns an error if others than the owner of path may change
// it. In a sticky directory they cannot touch what is somebody else's.
func checkWritable(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	sticky := info.IsDir() && info.Mode()&os.ModeSticky != 0
	if info.Mode().Perm()&othersWrite != 0 && !sticky {
		return fmt.Errorf("%s can be written by other users (mode %04o), who could change how commands are confined; run chmod go-w %[1]s",
			path, info.Mode().Perm())
	}
	return nil
}
