//go:build linux || darwin

package subprocesslocal

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh/bash/subprocess"
	"golang.org/x/sys/unix"
)

func lookPath(name string, env map[string]string) (string, error) {
	if strings.ContainsRune(name, '/') {
		if filepath.IsAbs(name) && executable(name) {
			return name, nil
		}
		return "", &exec.Error{Name: name, Err: subprocess.ErrNotFound}
	}
	path, ok := env["PATH"]
	if !ok {
		path = os.Getenv("PATH")
	}
	for _, dir := range filepath.SplitList(path) {
		if candidate := filepath.Join(dir, name); name != "" && filepath.IsAbs(dir) && executable(candidate) {
			return candidate, nil
		}
	}
	return "", &exec.Error{Name: name, Err: subprocess.ErrNotFound}
}

// executable reports whether this program may execute the file, which also
// respects access lists and mount options, unlike the mode bits alone.
func executable(file string) bool {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return unix.Faccessat(unix.AT_FDCWD, file, unix.X_OK, unix.AT_EACCESS) == nil
}
