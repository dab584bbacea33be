package acpagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
)

// arguments are those of the bash tool as far as this agent uses them itself.
type arguments struct {
	Command       string       `json:"command"`
	Description   string       `json:"description"`
	Permissions   sandbox.Mode `json:"sandbox_permissions,omitempty"`
	Justification string       `json:"justification,omitempty"`
}

// command answers a prompt without a model: it is the command to run. One that
// was denied is run once more under the narrowest wider mode, if the user says
// so. It does what the tool's description asks of a model.
func (s *session) command(ctx context.Context, text string) acp.StopReason {
	args := arguments{Command: text, Description: "The command that the user typed"}
	result, err := s.runAndSay(ctx, args)
	if wider := s.wider(result); wider != "" && ctx.Err() == nil {
		args.Permissions = wider
		args.Justification = fmt.Sprintf("The command was denied a file access under %s mode.", result.Sandbox.Mode)
		_, err = s.runAndSay(ctx, args)
	}
	if errors.Is(err, sandbox.ErrCancelled) {
		return acp.StopReasonCancelled
	}
	return acp.StopReasonEndTurn
}

// runAndSay runs the bash tool, and tells the user what a model would be told.
func (s *session) runAndSay(ctx context.Context, args arguments) (*bash.Result, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err // texts are always JSON
	}
	text, result, err := s.call(ctx, s.agent.tools[0], raw)
	if err != nil {
		text = err.Error()
	}
	s.say(block(text))
	return result, err
}

// wider returns the narrowest mode that might help a command that was denied and
// that the session's directory can have, or nothing.
func (s *session) wider(result *bash.Result) sandbox.Mode {
	if result == nil || result.Sandbox == nil || !result.Sandbox.Denied {
		return ""
	}
	for _, mode := range result.Sandbox.Mode.Wider() {
		if _, err := s.agent.policies.Resolve(sandbox.PolicyRequest{Mode: mode, SessionID: s.id, Dir: s.dir}); err == nil {
			return mode
		}
	}
	return ""
}
