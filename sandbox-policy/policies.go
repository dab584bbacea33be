// Package sandboxpolicy is the one home for the sandbox mode and the workspace
// root of a deployment.
//
// A [Policies] answers which policy a call has: an approved mode outranks the
// default, and a session's immutable working directory outranks the default
// root. It decides nothing about how a policy is enforced.
package sandboxpolicy

import (
	"path/filepath"

	"github.com/dsh-go/dsh/sandbox"
)

// Config configures a [Policies]. The zero value is the documented default.
type Config struct {
	// Mode is the default mode. Empty means [sandbox.ReadOnly].
	Mode sandbox.Mode
	// WorkspaceRoot is the default workspace root. It is made absolute and
	// canonical at once. Empty means the working directory.
	WorkspaceRoot string
}

// Policies resolves policies. It is immutable and safe for concurrent use.
type Policies struct {
	standard sandbox.Policy
}

// New returns the policies of a deployment. A mode that is not one, or a root
// that is missing, not a directory, or too wide for the mode, is a
// [*sandbox.InvalidPolicyError].
func New(config Config) (*Policies, error) {
	mode := config.Mode
	if mode == "" {
		mode = sandbox.ReadOnly
	}
	policy, err := rooted(sandbox.Policy{Mode: mode}, config.WorkspaceRoot)
	if err != nil {
		return nil, err
	}
	return &Policies{standard: policy}, nil
}

// Default returns the policy of a call that selects nothing.
func (p *Policies) Default() sandbox.Policy { return p.standard }

// Resolve returns the policy that req selects. Errors are as for [New].
func (p *Policies) Resolve(req sandbox.PolicyRequest) (sandbox.Policy, error) {
	policy := p.standard
	policy.SessionID = req.SessionID
	if req.Mode != "" {
		policy.Mode = req.Mode
	}
	root := policy.WorkspaceRoot
	if req.Dir != "" {
		root = req.Dir
	}
	return rooted(policy, root)
}

// rooted returns policy with the canonical form of root, if the two are valid
// together.
func rooted(policy sandbox.Policy, root string) (sandbox.Policy, error) {
	absolute, err := absolute(root)
	if err != nil {
		return sandbox.Policy{}, &sandbox.InvalidPolicyError{Mode: policy.Mode, WorkspaceRoot: root, Err: err}
	}
	policy.WorkspaceRoot = absolute
	if err := policy.Validate(); err != nil {
		return sandbox.Policy{}, err
	}
	if canonical, err := sandbox.Canonical(absolute); err == nil {
		policy.WorkspaceRoot = canonical
	} else if policy.Mode.Confines() {
		return sandbox.Policy{}, &sandbox.InvalidPolicyError{Mode: policy.Mode, WorkspaceRoot: root, Err: err}
	}
	return policy, nil
}

// absolute puts root behind the working directory if it is relative, without
// touching its "..", which may follow a link.
func absolute(root string) (string, error) {
	if filepath.IsAbs(root) {
		return root, nil
	}
	wd, err := filepath.Abs("")
	if err != nil || root == "" {
		return wd, err
	}
	return wd + string(filepath.Separator) + root, nil
}
