package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// A directory on which the root of the file system is mounted once more is the
// same inode: what may be written beneath the one may be beneath the other.
func TestARootThatIsEverythingMountedAgainIsRefused(t *testing.T) {
	dir := filepath.Join(canonicalTempDir(t), "all")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread has mounts of its own
		if err := mountEverything(dir); err != nil {
			result <- err
			return
		}
		result <- Policy{Mode: WorkspaceWrite, WorkspaceRoot: dir}.Validate()
	}()
	switch err := <-result; {
	case errors.Is(err, syscall.EPERM):
		t.Skip("only root mounts")
	case !errors.Is(err, ErrRootTooWide):
		t.Errorf("%v", err)
	}
}

func mountEverything(dir string) error {
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return err
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	return syscall.Mount("/", dir, "", syscall.MS_BIND, "")
}
