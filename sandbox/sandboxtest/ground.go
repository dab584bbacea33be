package sandboxtest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh/sandbox"
)

// directories are the places in which the suite has files of its own.
var directories = []sandbox.Place{sandbox.PlaceWorkspace, sandbox.PlaceTemp, sandbox.PlaceBeside, sandbox.PlaceHome}

// ErrNoGround means that the suite has nowhere to work.
var ErrNoGround = errors.New("sandboxtest: no directory outside the temporary area can be written to")

// ground is what the suite keeps on the host while it runs.
type ground struct {
	token string // part of every name that the suite makes
	base  string // holds the workspace, what is beside it, and the probe
	home  string // the suite's directory in the user's home; empty if there is none
	ends  []func() error
	next  int // number of the next trial
}

// openGround makes the suite's directories. They lie outside of the temporary
// area, which a sandbox may hide.
func openGround() (*ground, error) {
	g := &ground{token: fmt.Sprintf("dsh-conformance-%d-%s", os.Getpid(), rand.Text()[:6])}
	home, homeErr := os.UserHomeDir()
	var err error
	for _, parent := range []string{"/var/tmp", home} {
		if g.base, err = g.mkdir(parent); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGround, err)
	}
	if homeErr == nil && home != filepath.Dir(g.base) {
		g.home, _ = g.mkdir(home) // without it that place is not triable
	}
	for _, dir := range []string{g.workspace(), g.beside()} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, errors.Join(err, g.close())
		}
	}
	return g, g.copyProbe()
}

// mkdir makes a directory of the suite's beneath parent, unless that lies in
// the temporary area.
func (g *ground) mkdir(parent string) (string, error) {
	canonical, err := sandbox.Canonical(parent)
	if err != nil {
		return "", err
	}
	temporary, err := sandbox.WritableRoots(sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: canonical})
	if err != nil {
		return "", err
	}
	if sandbox.Within(canonical, temporary[1:]) {
		return "", &os.PathError{Op: "use", Path: canonical, Err: os.ErrInvalid}
	}
	dir := filepath.Join(canonical, "."+g.token)
	return dir, os.Mkdir(dir, 0o755)
}

func (g *ground) workspace() string { return filepath.Join(g.base, "workspace") }
func (g *ground) beside() string    { return filepath.Join(g.base, "beside") }
func (g *ground) probe() string     { return filepath.Join(g.base, "probe") }

// copyProbe puts the test binary where a sandbox does not hide it.
func (g *ground) copyProbe() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	program, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return writeProgram(g.probe(), program)
}

// prefixes are with what the paths of the suite's files at a place begin.
func (g *ground) prefixes(place sandbox.Place) []string {
	switch place {
	case sandbox.PlaceWorkspace:
		return []string{g.workspace() + "/"}
	case sandbox.PlaceBeside:
		return []string{g.beside() + "/"}
	case sandbox.PlaceTemp:
		return []string{"/tmp/" + g.token + "-"}
	case sandbox.PlaceDev:
		return devPrefixes(g.token)
	case sandbox.PlaceHome:
		if g.home != "" {
			return []string{g.home + "/"}
		}
	}
	return nil
}

// atEnd has f called when the trials at hand are over.
func (g *ground) atEnd(f func() error) { g.ends = append(g.ends, f) }

// endTrials closes what the trials at hand kept open.
func (g *ground) endTrials() error {
	var errs []error
	for _, end := range g.ends {
		errs = append(errs, end())
	}
	g.ends = nil
	return errors.Join(errs...)
}

// close removes every trace of the suite. It removes nothing while something
// is still mounted beneath it.
func (g *ground) close() error {
	err := g.endTrials()
	if mounted := unmountAll(g.token); mounted != nil {
		return errors.Join(err, mounted)
	}
	patterns := []string{"/tmp/" + g.token + "-*"}
	for _, prefix := range devPrefixes(g.token) {
		patterns = append(patterns, prefix+"*")
	}
	remove := []string{g.base}
	if g.home != "" {
		remove = append(remove, g.home)
	}
	for _, pattern := range patterns {
		found, _ := filepath.Glob(pattern) // the pattern is well-formed
		remove = append(remove, found...)
	}
	for _, path := range remove {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}
