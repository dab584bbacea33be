package sandboxlocal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/sandbox"
)

// call is a request that was checked, with its paths resolved.
type call struct {
	sandbox.Request
	dir       string   // canonical where it exists, else cleaned
	workspace string   // canonical
	writable  []string // the writable roots of the policy
	reach     []string // what they would be under workspace-write
	temp      string   // the temporary area, canonical
}

func newCall(req sandbox.Request) (*call, error) {
	if err := checkRequest(req); err != nil {
		return nil, err
	}
	reach, err := sandbox.WritableRoots(sandbox.Policy{
		Mode: sandbox.WorkspaceWrite, WorkspaceRoot: req.Policy.WorkspaceRoot,
	})
	if err != nil {
		return nil, err
	}
	dir, err := resolveDir(req.Dir, req.Policy.WorkspaceRoot, reach[0])
	if err != nil {
		return nil, err
	}
	c := &call{Request: req, dir: dir, workspace: reach[0], reach: reach, temp: temporaryArea(reach)}
	if req.Policy.Mode == sandbox.WorkspaceWrite {
		c.writable = reach
		if c.workspace != filepath.Clean(req.Policy.WorkspaceRoot) {
			return nil, &sandbox.InvalidPolicyError{
				Mode: req.Policy.Mode, WorkspaceRoot: req.Policy.WorkspaceRoot, Err: ErrRootNotCanonical,
			}
		}
	}
	return c, nil
}

// temporaryArea is where /tmp is: on some systems it is a link. It is not one
// where it is among the canonical roots by this very name.
func temporaryArea(roots []string) string {
	if slices.Contains(roots, "/tmp") {
		return "/tmp"
	}
	if canonical, err := sandbox.Canonical("/tmp"); err == nil {
		return canonical
	}
	return "/tmp"
}

// checkRequest refuses what no program can be started with. A NUL byte would
// also end an argument early on a runner's descriptor and so inject others.
func checkRequest(req sandbox.Request) error {
	if len(req.Argv) == 0 || req.Argv[0] == "" {
		return &RequestError{Field: "Argv", Err: ErrNoArgv}
	}
	for _, arg := range req.Argv {
		if strings.ContainsRune(arg, 0) {
			return &RequestError{Field: "Argv", Value: arg, Err: ErrNUL}
		}
	}
	for name, value := range req.Env {
		switch {
		case strings.ContainsRune(name, 0) || strings.ContainsRune(value, 0):
			return &RequestError{Field: "Env", Value: name, Err: ErrNUL}
		case name == "" || strings.Contains(name, "="):
			return &RequestError{Field: "Env", Value: name, Err: ErrBadEnvName}
		}
	}
	if strings.ContainsRune(req.Dir, 0) {
		return &RequestError{Field: "Dir", Value: req.Dir, Err: ErrNUL}
	}
	return nil
}

// resolveDir leaves it to the start to find that dir cannot be entered. The
// empty directory is the working directory of this process. The root of the
// workspace was resolved already, to the given path.
func resolveDir(dir, root, workspace string) (string, error) {
	if dir == "" {
		return os.Getwd()
	}
	if !filepath.IsAbs(dir) {
		return "", &RequestError{Field: "Dir", Value: dir, Err: ErrNotAbsolute}
	}
	if rest, beneath := strings.CutPrefix(dir, root); beneath {
		if resolved, plain := descend(workspace, rest); plain {
			return resolved, nil
		}
	}
	if canonical, err := sandbox.Canonical(dir); err == nil {
		return canonical, nil
	}
	return filepath.Clean(dir), nil
}

// descend resolves what follows the name of a directory whose canonical path is
// known, as long as that is nothing but directories: a ".." then leads to the
// parent by name. A link, or a longer name, is not decided here.
func descend(at, rest string) (resolved string, plain bool) {
	if rest != "" && !os.IsPathSeparator(rest[0]) {
		return "", false
	}
	for part := range strings.SplitSeq(filepath.ToSlash(rest), "/") {
		if part == "" {
			continue
		}
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err != nil || !info.IsDir() {
			return "", false
		}
	}
	return at, true
}
