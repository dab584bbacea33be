package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Policy is the complete policy of one call. It rides the call, not the
// provider: overlapping calls may have different policies.
type Policy struct {
	// Mode is what the command may change.
	Mode Mode
	// WorkspaceRoot is absolute and canonical (see [Canonical]). Under
	// WorkspaceWrite everything beneath it is writable.
	WorkspaceRoot string
	// SessionID names the session on whose behalf the call is made. Optional.
	SessionID string
}

// PolicyRequest is what selects a policy: an approved mode, a session, or
// nothing, which selects the default.
type PolicyRequest struct {
	// Mode, if set, is a mode that was approved for one call. It outranks the
	// session's own.
	Mode Mode
	// SessionID, if set, selects the mode that the session is in.
	SessionID string
	// Dir, if set, is the session's immutable working directory, which becomes
	// the workspace root.
	Dir string
}

// Validate reports whether p can be enforced at all, as an
// [*InvalidPolicyError] that names the mode and the root. The mode must be
// known; the root must be absolute and an existing directory, and under
// [WorkspaceWrite] it must not be the file system's root, which would make
// every path writable. Under [DangerFullAccess] the root is not looked at.
func (p Policy) Validate() error {
	if p.Mode.width() < 0 {
		return p.invalid(ErrUnknownMode)
	}
	if !p.Mode.Confines() {
		return nil
	}
	root, err := statRoot(p.WorkspaceRoot)
	if err != nil {
		return p.invalid(err)
	}
	if p.Mode == WorkspaceWrite {
		return p.checkWritable(root)
	}
	return nil
}

// checkWritable refuses a root that is the root of the file system, by whatever
// name: itself, a link to it, or another place where it is mounted.
func (p Policy) checkWritable(root fs.FileInfo) error {
	top, err := os.Stat(filepath.VolumeName(p.WorkspaceRoot) + string(filepath.Separator))
	if err != nil {
		return p.invalid(err)
	}
	if os.SameFile(root, top) {
		return p.invalid(ErrRootTooWide)
	}
	return nil
}

func (p Policy) invalid(err error) error {
	return &InvalidPolicyError{Mode: p.Mode, WorkspaceRoot: p.WorkspaceRoot, Err: err}
}

func statRoot(root string) (fs.FileInfo, error) {
	if !filepath.IsAbs(root) {
		return nil, ErrRootNotAbsolute
	}
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return nil, ErrRootNotDirectory
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrRootMissing
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, ErrRootNotDirectory
	}
	return info, nil
}
