package acpagent

import (
	"context"
	"errors"
	"fmt"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/approval"
)

// The user's choices. There is no "always": an approval is good for one call.
const (
	optionAllow  acp.PermissionOptionId = "allow-once"
	optionReject acp.PermissionOptionId = "reject"
)

var options = []acp.PermissionOption{
	{Kind: acp.PermissionOptionKindAllowOnce, Name: "Allow once", OptionId: optionAllow},
	{Kind: acp.PermissionOptionKindRejectOnce, Name: "Reject", OptionId: optionReject},
}

var errOutcome = errors.New("the client's answer is none of those that it was offered")

// Decide asks the user by a permission request. Some clients show the title
// alone, so it begins with what is asked for.
func (c *toolCall) Decide(ctx context.Context, req sandbox.EscalationRequest) (sandbox.Decision, error) {
	question := fmt.Sprintf("Allow %s for %s", req.Mode, oneLine(req.Subject))
	answer, err := c.session.agent.connection.RequestPermission(ctx, acp.RequestPermissionRequest{
		SessionId: acp.SessionId(c.session.id),
		Options:   options,
		ToolCall: acp.ToolCallUpdate{
			ToolCallId: c.id,
			Title:      &question,
			Kind:       acp.Ptr(acp.ToolKindExecute),
			Status:     acp.Ptr(acp.ToolCallStatusPending),
			Content:    content("%s", approval.Prompt(req)),
		},
	})
	if err != nil {
		return sandbox.DecisionUnavailable, err
	}
	return decision(answer.Outcome)
}

// decision reads an answer.
func decision(outcome acp.RequestPermissionOutcome) (sandbox.Decision, error) {
	switch {
	case outcome.Cancelled != nil:
		return sandbox.DecisionCancelled, nil
	case outcome.Selected == nil:
		return sandbox.DecisionUnavailable, errOutcome
	}
	switch chosen := outcome.Selected.OptionId; chosen {
	case optionAllow:
		return sandbox.DecisionAllowedOnce, nil
	case optionReject:
		return sandbox.DecisionRejected, nil
	default:
		return sandbox.DecisionUnavailable, fmt.Errorf("%w: %q", errOutcome, chosen)
	}
}
