package sandboxlocal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/dsh-go/dsh/sandbox"
)

// program is a runner program, resolved once.
type program struct {
	path      string // absolute
	canonical string
	trusted   bool // the configuration gave its absolute path
}

// findProgram resolves a name on this process's own PATH, never on a
// command's, or takes an absolute path as it is.
func findProgram(name string) (program, error) {
	path, err := exec.LookPath(name)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return program{}, notFound(name)
	case err != nil:
		return program{}, fmt.Errorf("%w: %w", errNotExecutable, err)
	}
	canonical, err := sandbox.Canonical(path)
	if err != nil {
		return program{}, fmt.Errorf("%w: %w", errNotExecutable, err)
	}
	return program{path: path, canonical: canonical, trusted: filepath.IsAbs(name)}, nil
}

// notFound tells a program that is not there from one that lost its mode bits.
func notFound(name string) error {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return fmt.Errorf("%w: %s has no execute permission", errNotExecutable, path)
		}
	}
	return errNotFound
}

// checkTrust refuses a program that a confined command could have put there.
// It goes by what the workspace-write mode makes writable whatever the call's
// mode is, because an earlier call may have had the wider one.
func (p program) checkTrust(c *call) error {
	if p.trusted || c.workspace == filepath.Dir(c.workspace) {
		return nil
	}
	if sandbox.Within(p.path, c.reach) || sandbox.Within(p.canonical, c.reach) {
		return fmt.Errorf("%s %w", p.path, errUntrusted)
	}
	return nil
}
