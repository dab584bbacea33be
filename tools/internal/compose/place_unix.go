//go:build unix

package compose

import (
	"fmt"
	"os"
	"syscall"
)

// othersWrite are the permission bits that let others than the owner change a
// file.
const othersWrite = 0o022

// checkOwner returns an error if path belongs to somebody else, or may be
// changed by somebody else.
func checkOwner(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user (%d), who could change how commands are confined", path, stat.Uid)
	}
	return checkWritable(path)
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
