package acpagent

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh/sandbox"
)

// policies has a fixed root, if there is one, take the place of the directory
// that a session begins in.
type policies struct {
	Policies
	root string
}

// Resolve returns the policy that req selects.
func (p policies) Resolve(req sandbox.PolicyRequest) (sandbox.Policy, error) {
	if p.root != "" {
		req.Dir = p.root
	}
	return p.Policies.Resolve(req)
}

// OutsideError is a session whose directory does not lie in the workspace.
type OutsideError struct {
	Dir, Root string
}

// Error names both directories and the remedy.
func (e *OutsideError) Error() string {
	return fmt.Sprintf("the session's directory %q is outside the workspace %q (start dsh acp without --workspace, "+
		"and each session's directory is its workspace)", e.Dir, e.Root)
}

// admit returns the canonical form of the directory in which a session is to
// begin, if it may.
func (p policies) admit(dir string) (string, error) {
	canonical, err := sandbox.Canonical(dir)
	if err != nil {
		return "", err
	}
	if p.root == "" {
		return canonical, nil
	}
	relative, err := filepath.Rel(p.root, canonical)
	if err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return "", &OutsideError{Dir: dir, Root: p.root}
	}
	return canonical, nil
}
