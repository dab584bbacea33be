package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// EscalationRequest asks for one call under a wider mode than its own.
type EscalationRequest struct {
	// Mode is the mode asked for. It must be strictly wider than the policy's.
	Mode Mode
	// Policy is the call's effective policy. Only its mode is widened; its
	// workspace root stays.
	Policy Policy
	// Justification is what the caller gives as its reason. It is shown to
	// the user and must not be blank.
	Justification string
	// Caller identifies who asks, so that the user can tell. It must not be
	// blank: nobody is asked on behalf of nobody.
	Caller string
	// Subject is what is to run, in full: for a shell tool, the command.
	Subject string
	// Dir is where it would run.
	Dir string
}

// Decision is an approver's answer. The zero value is no permission.
type Decision int

const (
	// DecisionUnavailable means that nobody could be asked.
	DecisionUnavailable Decision = iota
	// DecisionAllowedOnce permits the one call that was asked about.
	DecisionAllowedOnce
	// DecisionRejected means that the user said no.
	DecisionRejected
	// DecisionCancelled means that the user withdrew without deciding.
	DecisionCancelled
)

// An Approver asks the user. It is safe for concurrent use.
type Approver interface {
	// Decide asks about one call and blocks until there is an answer or ctx
	// ends. An error means that nobody could be asked.
	Decide(ctx context.Context, req EscalationRequest) (Decision, error)
}

// The reasons inside an [*EscalationError].
var (
	ErrPermissionsWithoutJustification = errors.New("sandbox_permissions needs a justification that is not blank")
	ErrJustificationWithoutPermissions = errors.New("justification is only for a call with sandbox_permissions")
	ErrNotEscalation                   = errors.New("not a mode that can be asked for (workspace-write and danger-full-access can)")
	ErrNotWider                        = errors.New("not wider than the mode in effect; nobody was asked")

	ErrNoApprover          = errors.New("nobody is there to approve it")
	ErrNoCaller            = errors.New("it is not known who asks")
	ErrRejected            = errors.New("the user rejected it")
	ErrCancelled           = errors.New("the user cancelled the question")
	ErrApprovalUnavailable = errors.New("the user could not be asked")
)

// EscalationError is an escalation that was refused. Nothing was run.
type EscalationError struct {
	// Wanted is the mode as it was asked for, which need not be a mode.
	Wanted Mode
	// Effective is the mode of the call, or empty where it did not matter.
	Effective Mode
	// Err is the reason, never nil.
	Err error
}

// Error names the modes and the reason.
func (e *EscalationError) Error() string {
	if e.Effective == "" {
		return fmt.Sprintf("sandbox: escalation to %q refused: %v", string(e.Wanted), e.Err)
	}
	return fmt.Sprintf("sandbox: escalation from %q to %q refused: %v", string(e.Effective), string(e.Wanted), e.Err)
}

// Unwrap returns the reason.
func (e *EscalationError) Unwrap() error { return e.Err }

// ValidateEscalation reads the two arguments with which a tool call asks for a
// wider mode. They travel together. Both empty means that nothing is asked,
// and returns the empty mode; anything malformed is an [*EscalationError].
func ValidateEscalation(permissions, justification string) (Mode, error) {
	wanted := Mode(permissions)
	switch {
	case permissions == "" && justification == "":
		return "", nil
	case permissions == "":
		return "", &EscalationError{Err: ErrJustificationWithoutPermissions}
	case !slices.Contains(ReadOnly.Wider(), wanted):
		return "", &EscalationError{Wanted: wanted, Err: ErrNotEscalation}
	case strings.TrimSpace(justification) == "":
		return "", &EscalationError{Wanted: wanted, Err: ErrPermissionsWithoutJustification}
	}
	return wanted, nil
}

// Approve has the user decide about req and returns the mode, good for one
// call. Every refusal is an [*EscalationError]; a request that is not strictly
// wider, is not justified or has no caller is refused without asking anybody.
// A nil approver is nobody. When ctx ends first the reason is [ErrCancelled]
// together with ctx's own error.
func Approve(ctx context.Context, req EscalationRequest, approver Approver) (Mode, error) {
	if err := askable(ctx, req, approver); err != nil {
		return "", req.refused(err)
	}
	decision, err := approver.Decide(ctx, req)
	switch {
	case ctx.Err() != nil:
		return "", req.refused(fmt.Errorf("%w: %w", ErrCancelled, context.Cause(ctx)))
	case err != nil:
		return "", req.refused(fmt.Errorf("%w: %w", ErrApprovalUnavailable, err))
	}
	switch decision {
	case DecisionAllowedOnce:
		return req.Mode, nil
	case DecisionRejected:
		return "", req.refused(ErrRejected)
	case DecisionCancelled:
		return "", req.refused(ErrCancelled)
	default:
		return "", req.refused(ErrApprovalUnavailable)
	}
}

// askable returns why the user is not to be asked at all.
func askable(ctx context.Context, req EscalationRequest, approver Approver) error {
	switch {
	case !slices.Contains(req.Policy.Mode.Wider(), req.Mode):
		return ErrNotWider
	case strings.TrimSpace(req.Justification) == "":
		return ErrPermissionsWithoutJustification
	case approver == nil:
		return ErrNoApprover
	case strings.TrimSpace(req.Caller) == "":
		return ErrNoCaller
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrCancelled, context.Cause(ctx))
	}
	return nil
}

func (r EscalationRequest) refused(err error) error {
	return &EscalationError{Wanted: r.Mode, Effective: r.Policy.Mode, Err: err}
}
