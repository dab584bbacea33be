package sandbox

import (
	"context"
	"errors"
	"testing"
)

func TestValidateEscalation(t *testing.T) {
	tests := []struct {
		permissions, justification string
		want                       Mode
		err                        error
	}{
		{"", "", "", nil},
		{"workspace-write", "to build", WorkspaceWrite, nil},
		{"danger-full-access", "to install", DangerFullAccess, nil},
		{"workspace-write", "", "", ErrPermissionsWithoutJustification},
		{"workspace-write", " \n", "", ErrPermissionsWithoutJustification},
		{"", "because", "", ErrJustificationWithoutPermissions},
		{"read-only", "because", "", ErrNotEscalation},
		{"everything", "because", "", ErrNotEscalation},
	}
	for _, tt := range tests {
		got, err := ValidateEscalation(tt.permissions, tt.justification)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("ValidateEscalation(%q, %q) = %q, %v, want %q, %v", tt.permissions, tt.justification, got, err, tt.want, tt.err)
		}
	}
}

// approver answers and counts how often it was asked.
type approver struct {
	decision Decision
	err      error
	asked    int
}

func (a *approver) Decide(context.Context, EscalationRequest) (Decision, error) {
	a.asked++
	return a.decision, a.err
}

func escalation(from, to Mode) EscalationRequest {
	return EscalationRequest{
		Mode: to, Policy: Policy{Mode: from, WorkspaceRoot: "/w"},
		Justification: "to build", Caller: "session 1", Subject: "make", Dir: "/w",
	}
}

func TestApprove(t *testing.T) {
	broken := errors.New("no terminal")
	tests := []struct {
		name     string
		from, to Mode
		change   func(*EscalationRequest)
		approver *approver
		want     Mode
		err      error
		asked    int
	}{
		{name: "allowed once", from: ReadOnly, to: WorkspaceWrite, approver: &approver{decision: DecisionAllowedOnce}, want: WorkspaceWrite, asked: 1},
		{name: "rejected", from: ReadOnly, to: WorkspaceWrite, approver: &approver{decision: DecisionRejected}, err: ErrRejected, asked: 1},
		{name: "cancelled", from: ReadOnly, to: WorkspaceWrite, approver: &approver{decision: DecisionCancelled}, err: ErrCancelled, asked: 1},
		{name: "unavailable", from: ReadOnly, to: WorkspaceWrite, approver: &approver{}, err: ErrApprovalUnavailable, asked: 1},
		{name: "a decision nobody knows", from: ReadOnly, to: WorkspaceWrite, approver: &approver{decision: 42}, err: ErrApprovalUnavailable, asked: 1},
		{name: "asking failed", from: ReadOnly, to: WorkspaceWrite, approver: &approver{decision: DecisionAllowedOnce, err: broken}, err: ErrApprovalUnavailable, asked: 1},
		{name: "no approver", from: ReadOnly, to: WorkspaceWrite, err: ErrNoApprover},
		{name: "no caller", from: ReadOnly, to: WorkspaceWrite, change: func(r *EscalationRequest) { r.Caller = " " }, approver: &approver{decision: DecisionAllowedOnce}, err: ErrNoCaller},
		{name: "no justification", from: ReadOnly, to: WorkspaceWrite, change: func(r *EscalationRequest) { r.Justification = "" }, approver: &approver{decision: DecisionAllowedOnce}, err: ErrPermissionsWithoutJustification},
		{name: "the same mode", from: WorkspaceWrite, to: WorkspaceWrite, approver: &approver{decision: DecisionAllowedOnce}, err: ErrNotWider},
		{name: "a narrower mode", from: WorkspaceWrite, to: ReadOnly, approver: &approver{decision: DecisionAllowedOnce}, err: ErrNotWider},
		{name: "nothing is wider", from: DangerFullAccess, to: WorkspaceWrite, approver: &approver{decision: DecisionAllowedOnce}, err: ErrNotWider},
		{name: "from an unknown mode", from: "?", to: DangerFullAccess, approver: &approver{decision: DecisionAllowedOnce}, err: ErrNotWider},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := escalation(tt.from, tt.to)
			if tt.change != nil {
				tt.change(&req)
			}
			var asked Approver
			if tt.approver != nil {
				asked = tt.approver
			}
			got, err := Approve(t.Context(), req, asked)
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Fatalf("Approve = %q, %v, want %q, %v", got, err, tt.want, tt.err)
			}
			var refused *EscalationError
			if err != nil && (!errors.As(err, &refused) || refused.Wanted != tt.to || refused.Effective != tt.from) {
				t.Errorf("%v does not carry the modes", err)
			}
			if tt.approver != nil && tt.approver.asked != tt.asked {
				t.Errorf("asked %d times, want %d", tt.approver.asked, tt.asked)
			}
		})
	}
}

func TestApproveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := &approver{decision: DecisionAllowedOnce}
	mode, err := Approve(ctx, escalation(ReadOnly, WorkspaceWrite), a)
	if mode != "" || !errors.Is(err, ErrCancelled) || !errors.Is(err, context.Canceled) || a.asked != 0 {
		t.Errorf("%q, %v, asked %d times", mode, err, a.asked)
	}
}

// late answers yes although the context ended while it was asked.
type late struct{ cancel context.CancelFunc }

func (l late) Decide(context.Context, EscalationRequest) (Decision, error) {
	l.cancel()
	return DecisionAllowedOnce, nil
}

func TestAnAnswerAfterTheEndOfTheContextGrantsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if mode, err := Approve(ctx, escalation(ReadOnly, WorkspaceWrite), late{cancel}); mode != "" || !errors.Is(err, ErrCancelled) {
		t.Errorf("%q, %v", mode, err)
	}
}
