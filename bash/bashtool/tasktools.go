package bashtool

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dsh-go/dsh/bash"
)

// The names of the tools for background tasks.
const (
	TaskOutputName = "task_output"
	TaskListName   = "task_list"
	TaskKillName   = "task_kill"
)

// TaskTool is one of the tools for background tasks.
type TaskTool struct {
	// Name and Description are what a model sees.
	Name, Description string
	// Schema is the JSON Schema of the arguments. It must not be changed.
	Schema json.RawMessage
	// Run runs a call and returns the text for the model. Errors are an
	// [*ArgumentError] or a [*TaskError].
	Run func(ctx context.Context, call Call) (string, error)
}

// TaskTools returns the tools for background tasks.
func (t *Tool) TaskTools() []TaskTool {
	zero := 0
	id := &schema{Type: "string", Description: "The id that the start of the task returned."}
	return []TaskTool{
		{
			Name:        TaskOutputName,
			Description: "Read what a background task has printed since the last read, and whether it has ended.",
			Schema: object([]string{"task_id"}, map[string]*schema{
				"task_id": id,
				"waitMs":  {Type: "integer", Minimum: &zero, Description: "Wait up to this many milliseconds for the task to end. Default 0."},
			}).render(),
			Run: t.taskOutput,
		},
		{
			Name:        TaskListName,
			Description: "List the background tasks of this session.",
			Schema:      object(nil, map[string]*schema{}).render(),
			Run:         t.taskList,
		},
		{
			Name:        TaskKillName,
			Description: "Terminate a background task and everything that it started.",
			Schema:      object([]string{"task_id"}, map[string]*schema{"task_id": id}).render(),
			Run:         t.taskKill,
		},
	}
}

func (t *Tool) taskOutput(ctx context.Context, call Call) (string, error) {
	var id string
	var waitMs int64
	if err := decode(call.Arguments, []argument{{name: "task_id", into: &id}, {name: "waitMs", into: &waitMs}}); err != nil {
		return "", err
	}
	if waitMs < 0 || waitMs > math.MaxInt64/int64(time.Millisecond) {
		return "", &ArgumentError{Argument: "waitMs", Err: ErrNotPositive}
	}
	found, err := t.tasks.find(call.Session.ID, id)
	if err != nil {
		return "", err
	}
	await(ctx, found.process, time.Duration(waitMs)*time.Millisecond)
	// The state is taken first: output that arrives in between is then shown
	// with a task that still runs, and never lost behind one that has ended.
	state := found.process.State()
	return t.renderTask(state, found.process.ReadOutput()), nil
}

// await waits for the end of a process, as long as it may.
func await(ctx context.Context, process bash.Process, most time.Duration) {
	if most == 0 {
		return
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-process.Done():
	case <-timer.C:
	case <-ctx.Done():
	}
}

// renderTask returns what the model is told of a background task: what it
// printed, what of that is lost, what the sandbox did, and how it is doing.
func (t *Tool) renderTask(state bash.State, delta bash.Delta) string {
	var p page
	p.text(delta.Text)
	if p.empty() {
		p.line(noOutput)
	}
	if delta.Lossy {
		paths := strings.Join(delta.SpillPaths, ", ")
		p.line("[some output was dropped from memory; full output: " + orUnavailable(paths) + "]")
	}
	p.lines(t.sandboxMarkers(state.Sandbox)...)
	switch {
	case state.Status == bash.StatusRunning:
		p.line("[running]")
	case state.Err != nil:
		p.line(fmt.Sprintf("[did not run: %v]", state.Err))
	default:
		p.line(ExitStatus{Code: state.ExitCode, Signal: state.Signal}.Marker())
	}
	return p.String()
}

func (t *Tool) taskList(_ context.Context, call Call) (string, error) {
	if err := decode(call.Arguments, nil); err != nil {
		return "", err
	}
	var p page
	for _, k := range t.tasks.list(call.Session.ID) {
		p.line(fmt.Sprintf("%s: %s (%s)", k.id, k.description, k.state()))
	}
	if p.empty() {
		p.line("(no background tasks)")
	}
	return p.String(), nil
}

func (t *Tool) taskKill(_ context.Context, call Call) (string, error) {
	var id string
	if err := decode(call.Arguments, []argument{{name: "task_id", into: &id}}); err != nil {
		return "", err
	}
	found, err := t.tasks.find(call.Session.ID, id)
	if err != nil {
		return "", err
	}
	if found.process.Terminate() {
		return "terminating background task " + id + "\n", nil
	}
	return "background task " + id + ": " + found.state() + "\n", nil
}
