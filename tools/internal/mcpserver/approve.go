package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/approval"
)

// multiRoundTrip is the version of the protocol since which a call ends with
// the question, and is made again with the answer.
const multiRoundTrip = "2026-07-28"

// The user has to choose: neither a form that is sent as it was opened, nor a
// client that fills in the first value, says yes.
const (
	decisionField  = "decision"
	decisionReject = "reject"
	decisionAllow  = "allow once"
)

// decisionSchema is the form that the client shows.
var decisionSchema = map[string]any{
	"type": "object",
	"properties": map[string]any{
		decisionField: map[string]any{
			"type":        "string",
			"title":       "Decision",
			"description": "Whether this one command may run.",
			"enum":        []any{decisionReject, decisionAllow},
		},
	},
	"required": []any{decisionField},
}

// The reasons why nobody can be asked.
var (
	errNoElicitation = errors.New("the client does not support elicitation")
	errAction        = errors.New("the client's answer is none that the protocol knows")
)

// approver returns who decides about a call's escalation.
func (s *Server) approver(req *mcp.CallToolRequest, given *answered, progress *progress) sandbox.Approver {
	switch {
	case given != nil:
		return given
	case !elicits(req.ClientCapabilities()):
		return approverFunc(func(context.Context, sandbox.EscalationRequest) (sandbox.Decision, error) {
			return sandbox.DecisionUnavailable, errNoElicitation
		})
	case endsWithQuestion(req.Params):
		return approverFunc(func(_ context.Context, asked sandbox.EscalationRequest) (sandbox.Decision, error) {
			return sandbox.DecisionUnavailable, s.questions.ask(asked, fingerprint(req.Params))
		})
	default:
		return approverFunc(func(ctx context.Context, asked sandbox.EscalationRequest) (sandbox.Decision, error) {
			defer progress.asking()()
			answer, err := req.Session.Elicit(ctx, elicitation(asked))
			if err != nil {
				return sandbox.DecisionUnavailable, err
			}
			return decision(answer)
		})
	}
}

type approverFunc func(ctx context.Context, req sandbox.EscalationRequest) (sandbox.Decision, error)

func (f approverFunc) Decide(ctx context.Context, req sandbox.EscalationRequest) (sandbox.Decision, error) {
	return f(ctx, req)
}

// elicits reports whether a client can show a form. One that names no kind of
// elicitation can.
func elicits(client *mcp.ClientCapabilities) bool {
	if client == nil || client.Elicitation == nil {
		return false
	}
	return client.Elicitation.Form != nil || client.Elicitation.URL == nil
}

// endsWithQuestion reports whether the client that makes a call speaks the
// protocol in which questions end the call. Such calls say so each time.
func endsWithQuestion(params *mcp.CallToolParamsRaw) bool {
	version, _ := params.Meta[mcp.MetaKeyProtocolVersion].(string)
	return version >= multiRoundTrip
}

func elicitation(req sandbox.EscalationRequest) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: approval.Prompt(req), RequestedSchema: decisionSchema}
}

// decision reads an answer. A form that was sent without a yes in it is a no.
func decision(answer *mcp.ElicitResult) (sandbox.Decision, error) {
	switch answer.Action {
	case "accept":
		if answer.Content[decisionField] == decisionAllow {
			return sandbox.DecisionAllowedOnce, nil
		}
		return sandbox.DecisionRejected, nil
	case "decline":
		return sandbox.DecisionRejected, nil
	case "cancel":
		return sandbox.DecisionCancelled, nil
	default:
		return sandbox.DecisionUnavailable, fmt.Errorf("%w: %q", errAction, answer.Action)
	}
}
