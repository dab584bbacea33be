package bashtool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
)

// background starts a task for a session and returns its id.
func background(t *testing.T, tool *Tool, s Session) string {
	t.Helper()
	text, err := tool.Run(t.Context(), Call{Session: s, Arguments: arg(`{"command":"make","description":"Build","run_in_background":true}`)})
	if err != nil {
		t.Fatal(err)
	}
	id, ok := strings.CutPrefix(text, "started background task ")
	if !ok {
		t.Fatalf("%q", text)
	}
	return strings.TrimSpace(id)
}

// use calls a task tool.
func use(t *testing.T, tool *Tool, name string, s Session, arguments string) (string, error) {
	t.Helper()
	for _, other := range tool.TaskTools() {
		if other.Name == name {
			if !json.Valid(other.Schema) {
				t.Errorf("the schema of %s is no JSON", name)
			}
			return other.Run(t.Context(), Call{Session: s, Arguments: arg(arguments)})
		}
	}
	t.Fatalf("no tool %s", name)
	return "", nil
}

func taskID(id string) string { return fmt.Sprintf(`{"task_id":%q}`, id) }

func TestATaskFromStartToEnd(t *testing.T) {
	tool := newTool(t, Config{Executor: &executor{mode: sandbox.ReadOnly}})
	id := background(t, tool, session)
	started, err := tool.tasks.find(session.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	fake := started.process.(*process)
	fake.delta = bash.Delta{Text: "one\n"}
	for _, want := range []string{"one\n[running]\n", "(no output)\n[running]\n"} {
		if got, err := use(t, tool, TaskOutputName, session, taskID(id)); got != want || err != nil {
			t.Errorf("task_output: %q, %v, want %q", got, err, want)
		}
	}
	if got, err := use(t, tool, TaskListName, session, `{}`); got != "1: Build (running)\n" || err != nil {
		t.Errorf("task_list: %q, %v", got, err)
	}
	if got, err := use(t, tool, TaskKillName, session, taskID(id)); got != "terminating background task 1\n" || err != nil {
		t.Errorf("task_kill: %q, %v", got, err)
	}
	if got, err := use(t, tool, TaskKillName, session, taskID(id)); got != "background task 1: killed by signal SIGTERM\n" || err != nil {
		t.Errorf("task_kill again: %q, %v", got, err)
	}
	if got, err := use(t, tool, TaskOutputName, session, `{"task_id":"1","waitMs":30000}`); got != "(no output)\n[killed by signal: SIGTERM]\n" || err != nil {
		t.Errorf("task_output at the end: %q, %v", got, err)
	}
}

func TestATaskIsNotObservedAfterItsCall(t *testing.T) {
	fake := &executor{mode: sandbox.ReadOnly}
	tool := newTool(t, Config{Executor: fake})
	for i, arguments := range []string{`{"command":"c","description":"d"}`, `{"command":"c","description":"d","run_in_background":true}`} {
		call := Call{Session: session, Arguments: arg(arguments), Observe: func(bash.Stream, []byte) {}}
		if _, err := tool.Run(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		if observed := fake.ran[i].Observe != nil; observed != (i == 0) {
			t.Errorf("%s: observed: %v", arguments, observed)
		}
	}
}

func TestTasksAreInvisibleToOtherSessions(t *testing.T) {
	tool := newTool(t, Config{Executor: &executor{mode: sandbox.ReadOnly}})
	id := background(t, tool, session)
	for _, other := range []Session{{ID: "s2"}, {}} {
		for _, name := range []string{TaskOutputName, TaskKillName} {
			if text, err := use(t, tool, name, other, taskID(id)); !errors.Is(err, ErrNoTask) {
				t.Errorf("%s by %q: %q, %v", name, other.ID, text, err)
			}
		}
		if text, err := use(t, tool, TaskListName, other, `{}`); text != "(no background tasks)\n" || err != nil {
			t.Errorf("task_list by %q: %q, %v", other.ID, text, err)
		}
		if err := tool.EndSession(t.Context(), other.ID); err != nil {
			t.Error(err)
		}
	}
	if text, _ := use(t, tool, TaskListName, session, `{}`); text != "1: Build (running)\n" {
		t.Errorf("after others ended: %q", text)
	}
}

func TestOldTasksThatHaveEndedAreForgotten(t *testing.T) {
	tool := newTool(t, Config{Executor: &executor{mode: sandbox.ReadOnly}})
	first := background(t, tool, session)
	for range mostTasks + 5 {
		id := background(t, tool, session)
		if _, err := use(t, tool, TaskKillName, session, taskID(id)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(tool.tasks.list(session.ID)); n != mostTasks {
		t.Errorf("%d tasks are kept", n)
	}
	if text, err := use(t, tool, TaskOutputName, session, taskID(first)); err != nil || !strings.Contains(text, "[running]") {
		t.Errorf("one that runs is forgotten: %q, %v", text, err)
	}
	if _, err := use(t, tool, TaskOutputName, session, taskID("2")); !errors.Is(err, ErrNoTask) {
		t.Errorf("the oldest that ended is kept: %v", err)
	}
}

func TestTheEndOfASessionEndsItsTasks(t *testing.T) {
	tool := newTool(t, Config{Executor: &executor{mode: sandbox.ReadOnly}})
	var processes []bash.Process
	for range 3 {
		started, err := tool.tasks.find(session.ID, background(t, tool, session))
		if err != nil {
			t.Fatal(err)
		}
		processes = append(processes, started.process)
	}
	if err := tool.EndSession(t.Context(), session.ID); err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		if p.State().Status != bash.StatusKilled {
			t.Errorf("state %+v", p.State())
		}
	}
	if _, err := use(t, tool, TaskOutputName, session, taskID("1")); !errors.Is(err, ErrNoTask) {
		t.Errorf("after the end: %v", err)
	}
}

func TestEndSessionDoesNotWaitForEver(t *testing.T) {
	tool := newTool(t, Config{Executor: stubborn{&executor{mode: sandbox.ReadOnly}}})
	background(t, tool, session)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := tool.EndSession(ctx, session.ID); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// stubborn starts processes that never end.
type stubborn struct{ *executor }

func (stubborn) Start(context.Context, bash.Spec) (bash.Process, error) {
	return &process{done: make(chan struct{})}, nil
}

func TestNotices(t *testing.T) {
	notices := make(chan Notice, 1)
	tool := newTool(t, Config{Executor: &executor{mode: sandbox.ReadOnly}, Notify: func(n Notice) { notices <- n }})
	id := background(t, tool, session)
	started, err := tool.tasks.find(session.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	started.process.(*process).finish(bash.State{Status: bash.StatusCompleted, ExitCode: 3})
	select {
	case got := <-notices:
		if want := (Notice{SessionID: "s1", TaskID: "1", Text: "[background task 1 ended: exit code 3]"}); got != want {
			t.Errorf("%+v", got)
		}
	case <-time.After(30 * time.Second):
		t.Error("no notice")
	}
}

func TestTaskArguments(t *testing.T) {
	tool := newTool(t, Config{Executor: &executor{mode: sandbox.ReadOnly}})
	background(t, tool, session)
	for name, all := range map[string][]string{
		TaskOutputName: {`{"task_id":1}`, `{"task_id":"1","wait":1}`, `{"task_id":"1","waitMs":-1}`, `[]`},
		TaskKillName:   {`{"id":"1"}`, `{"task_id":{}}`},
		TaskListName:   {`{"all":true}`, ``},
	} {
		for _, arguments := range all {
			var bad *ArgumentError
			if text, err := use(t, tool, name, session, arguments); !errors.As(err, &bad) {
				t.Errorf("%s(%s): %q, %v", name, arguments, text, err)
			}
		}
	}
	if _, err := use(t, tool, TaskKillName, session, `{}`); !errors.Is(err, ErrNoTask) {
		t.Errorf("no id: %v", err)
	}
}
