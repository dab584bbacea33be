package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// WritableRoots returns the directories beneath which a command may change
// files under policy: canonical, without duplicates, the workspace root first.
// It is empty under [ReadOnly], and also under [DangerFullAccess], which has
// no roots because it has no bounds. Under [WorkspaceWrite] it is the
// workspace root and /tmp, and on macOS the per-user temporary directory too,
// as the system lays it out, never as an environment variable says. A root
// that lies beneath another one is still listed. A backend may give the command
// temporary directories of its own in place of the host's.
//
// The policy must be valid ([Policy.Validate]); a root that cannot be resolved
// is an [*InvalidPolicyError].
func WritableRoots(policy Policy) ([]string, error) {
	if policy.Mode != WorkspaceWrite {
		return nil, nil
	}
	workspace, err := Canonical(policy.WorkspaceRoot)
	if err != nil {
		return nil, policy.invalid(err)
	}
	roots := []string{workspace}
	for _, dir := range temporaryDirs() {
		canonical, err := Canonical(dir)
		if err != nil {
			continue // a temporary area that does not exist holds no files
		}
		if !slices.Contains(roots, canonical) {
			roots = append(roots, canonical)
		}
	}
	return roots, nil
}

// Within reports whether the path lies at or beneath one of the roots. It
// compares names only: all of them must be canonical.
func Within(path string, roots []string) bool {
	for _, root := range roots {
		if path == root || strings.HasPrefix(path, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// maxLinks is how many symbolic links one path may lead through, as in
// path_resolution(7).
const maxLinks = 40

// Canonical returns the absolute path without symbolic links to what path
// names, which must exist. Links are resolved component by component before
// any "..", so "link/.." is where chdir would land. A relative path starts at
// the working directory. Errors are [*os.PathError].
func Canonical(path string) (string, error) {
	if path == "" {
		return "", &os.PathError{Op: "resolve", Path: path, Err: syscall.ENOENT}
	}
	start := path
	if !filepath.IsAbs(path) {
		wd, err := os.Getwd()
		if err != nil {
			return "", err
		}
		start = wd + string(filepath.Separator) + path
	}
	volume := filepath.VolumeName(start)
	r := resolver{path: path, root: volume + string(filepath.Separator)}
	r.push(start[len(volume):])
	return r.resolve()
}

// resolver walks the components that are still to come.
type resolver struct {
	path    string // as given, for errors
	root    string // where an absolute link target starts
	pending []string
	links   int
}

// push puts the components of path in front of what is still to come.
func (r *resolver) push(path string) {
	parts := strings.Split(filepath.ToSlash(path), "/")
	r.pending = append(parts, r.pending...)
}

func (r *resolver) resolve() (string, error) {
	at := r.root
	for len(r.pending) > 0 {
		part := r.pending[0]
		r.pending = r.pending[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next, err := r.step(at, part)
		if err != nil {
			return "", err
		}
		at = next
	}
	return at, nil
}

// step enters one component of the directory at, following it if it is a
// link, and returns where that leads so far.
func (r *resolver) step(at, part string) (string, error) {
	next := filepath.Join(at, part)
	info, err := os.Lstat(next)
	if err != nil {
		return "", err
	}
	if info.Mode()&os.ModeSymlink == 0 {
		if !info.IsDir() && len(r.pending) > 0 {
			return "", &os.PathError{Op: "resolve", Path: r.path, Err: syscall.ENOTDIR}
		}
		return next, nil
	}
	if r.links++; r.links > maxLinks {
		return "", &os.PathError{Op: "resolve", Path: r.path, Err: syscall.ELOOP}
	}
	target, err := os.Readlink(next)
	if err != nil {
		return "", err
	}
	r.push(target)
	if filepath.IsAbs(target) {
		return r.root, nil
	}
	return at, nil
}
