package sandbox

import (
	"errors"
	"fmt"
	"strings"
)

// CodeUnavailable is the code of an [*UnavailableError].
const CodeUnavailable = "SANDBOX_UNAVAILABLE"

var (
	// ErrUnavailable is what every [*UnavailableError] is.
	ErrUnavailable = errors.New("sandbox: unavailable")
	// ErrFullAccess is returned by a provider that was asked to confine a
	// policy that confines nothing. Full access never reaches a provider.
	ErrFullAccess = errors.New("sandbox: danger-full-access is not a confinement and must not reach a provider")
	// ErrMalformed is wrapped by the errors of [Confinement.Check].
	ErrMalformed = errors.New("sandbox: malformed confinement")
)

// The reasons inside an [*InvalidPolicyError].
var (
	ErrUnknownMode      = errors.New("unknown mode (read-only, workspace-write and danger-full-access are known)")
	ErrRootNotAbsolute  = errors.New("workspace root is not an absolute path")
	ErrRootMissing      = errors.New("workspace root does not exist")
	ErrRootNotDirectory = errors.New("workspace root is not a directory")
	ErrRootTooWide      = errors.New("workspace root is the root of the file system, which would make every path writable")
)

// InvalidPolicyError is a policy that the caller got wrong. It says nothing
// about whether a sandbox is available.
type InvalidPolicyError struct {
	// Mode is the policy's, which need not be a mode.
	Mode Mode
	// WorkspaceRoot is the policy's.
	WorkspaceRoot string
	// Err is the reason, never nil.
	Err error
}

// Error names the mode, the root if there is one, and the reason.
func (e *InvalidPolicyError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sandbox: invalid policy: mode %q", string(e.Mode))
	if e.WorkspaceRoot != "" {
		fmt.Fprintf(&b, ", workspace root %q", e.WorkspaceRoot)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	return b.String()
}

// Unwrap returns the reason.
func (e *InvalidPolicyError) Unwrap() error { return e.Err }

// UnavailableError is the fail-closed error: nothing can confine a command
// under the mode here, so the command was not run. errors.Is(err,
// [ErrUnavailable]) holds for it.
type UnavailableError struct {
	// Mode is what nothing can enforce here.
	Mode Mode
	// Reasons says for each candidate, in the order tried, why it is unusable.
	Reasons []RunnerReason
	// Detail is what the runner said when it failed at the start itself. If
	// it is known it is the authoritative diagnosis.
	Detail string
	// Err is the cause, where there is one error that is.
	Err error
}

// RunnerReason says why one candidate is unusable.
type RunnerReason struct {
	// Runner names the candidate, as in [Report].
	Runner string
	// Reason is one sentence for a person.
	Reason string
}

// Code returns [CodeUnavailable].
func (e *UnavailableError) Code() string { return CodeUnavailable }

// Error names the mode, says that the command was not run unconfined, lists
// why each candidate is unusable and what to do, and ends with the runner's
// own words when they are known.
func (e *UnavailableError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sandbox: no usable sandbox for %s mode; the command was not run unconfined.", e.Mode)
	for _, r := range e.Reasons {
		fmt.Fprintf(&b, " %s: %s.", r.Runner, strings.TrimRight(r.Reason, "."))
	}
	fmt.Fprintf(&b, " %s.", remedy)
	if e.Detail != "" {
		b.WriteString(" Runner failure: " + e.Detail)
	}
	return b.String()
}

// Unwrap returns the cause, or nil.
func (e *UnavailableError) Unwrap() error { return e.Err }

// Is reports whether target is [ErrUnavailable].
func (e *UnavailableError) Is(target error) bool { return target == ErrUnavailable }
