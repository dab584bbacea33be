package acpagent

import (
	"context"
	"encoding/json"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/bash/bashtool"
	"github.com/dsh-go/dsh/tools/internal/approval"
)

// maxTitle bounds, in runes, what of a command is shown as a title.
const maxTitle = 120

// toolCall is one call of a tool, as the client sees it.
type toolCall struct {
	session *session
	id      acp.ToolCallId
	title   string
	begun   sync.Once
	// result is that of the call's command, or nil if none ended in the
	// foreground.
	result *bash.Result
}

// call runs a tool and tells the client how that goes. It returns the text for
// the model; an error is one of the tool's, and fit for the model too.
func (s *session) call(ctx context.Context, tool bashtool.TaskTool, arguments json.RawMessage) (text string, result *bash.Result, err error) {
	c := &toolCall{session: s, id: s.nextCall(), title: title(tool.Name, arguments)}
	s.update(acp.StartToolCall(c.id, c.title,
		acp.WithStartKind(acp.ToolKindExecute),
		acp.WithStartStatus(acp.ToolCallStatusPending),
		acp.WithStartRawInput(rawInput(arguments))))
	output := c.watch()
	text, err = tool.Run(context.WithValue(ctx, callKey{}, c), bashtool.Call{
		Session:   s.bashSession(),
		Arguments: arguments,
		Approver:  c,
		Observe:   output.observe,
	})
	output.stop()
	c.finish(text, err)
	return text, c.result, err
}

// begin says that the command has begun. A question that was asked before is
// replaced: clients take what it shows as the call's own.
func (c *toolCall) begin() {
	c.begun.Do(func() {
		c.session.update(acp.UpdateToolCall(c.id,
			acp.WithUpdateTitle(c.title),
			acp.WithUpdateStatus(acp.ToolCallStatusInProgress)))
	})
}

// finish says how the call ended.
func (c *toolCall) finish(text string, err error) {
	status := acp.ToolCallStatusCompleted
	switch {
	case err != nil:
		status, text = acp.ToolCallStatusFailed, err.Error()
	case !succeeded(c.result):
		status = acp.ToolCallStatusFailed
	default:
		c.begin()
	}
	c.session.update(acp.UpdateToolCall(c.id,
		acp.WithUpdateTitle(c.title),
		acp.WithUpdateStatus(status),
		acp.WithUpdateContent(content("%s", block(text))),
		acp.WithUpdateRawOutput(map[string]any{"output": text})))
}

// succeeded reports whether a command did, if it has ended.
func succeeded(result *bash.Result) bool {
	return result == nil || (result.ExitCode == 0 && !result.TimedOut && !result.Aborted)
}

// title returns a line that tells a call from others.
func title(tool string, arguments json.RawMessage) string {
	var known struct {
		Command string `json:"command"`
		Task    string `json:"task_id"`
	}
	// What cannot be read is the tool's to complain of.
	_ = json.Unmarshal(arguments, &known)
	switch {
	case known.Command != "":
		return oneLine(known.Command)
	case known.Task != "":
		return tool + " " + oneLine(known.Task)
	default:
		return tool
	}
}

// oneLine is text as one short line of code.
func oneLine(text string) string {
	return inline(approval.Preview(text, maxTitle))
}

// rawInput is what the client gets of the arguments: as they are, if they are
// JSON, or as a text.
func rawInput(arguments json.RawMessage) any {
	if json.Valid(arguments) {
		return arguments
	}
	return string(arguments)
}
