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
	if ctx.Err() == nil && err == nil && denied(result) {
		mode := result.Sandbox.Mode
		args.Permissions = mode.Wider()[0]
		args.Justification = fmt.Sprintf("The command was denied a file access under %s mode.", mode)
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

// denied reports whether a wider mode might help a command.
func denied(result *bash.Result) bool {
	return result != nil && result.Sandbox != nil && result.Sandbox.Denied && len(result.Sandbox.Mode.Wider()) > 0
}
