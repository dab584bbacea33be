package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/bash/bashtool"
	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
)

var update = flag.Bool("update", false, "rewrite testdata from what the code says")

// canned is an executor that confines and whose commands end as it says.
type canned struct {
	bash.Executor
	state bash.State
	delta bash.Delta
}

func (canned) SandboxMode() sandbox.Mode { return sandbox.ReadOnly }

func (canned) Resolve(req bash.Request) (bash.Spec, error) {
	return bash.Spec{Command: req.Command}, nil
}

func (c canned) Start(context.Context, bash.Spec) (bash.Process, error) { return c, nil }

func (c canned) State() bash.State      { return c.state }
func (c canned) ReadOutput() bash.Delta { return c.delta }
func (canned) Terminate() bool          { return false }
func (canned) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// TestExactStrings pins, in one file, every string that a model or another
// program may rely on, as the packages that own them say it.
func TestExactStrings(t *testing.T) {
	var b strings.Builder
	section := func(name, text string) { fmt.Fprintf(&b, "== %s\n%s\n", name, strings.TrimSuffix(text, "\n")) }

	section("denial", sandbox.DenialMarker(sandbox.ReadOnly)+"\n"+sandbox.DenialMarker(sandbox.WorkspaceWrite))
	section("escalation hint", sandbox.EscalationHint("command")+"\n"+sandbox.EscalationHint("operation"))
	section("runner failure", sandbox.RunnerFailedMarker(sandbox.ReadOnly)+"\n"+sandbox.RunnerFailedMarker(sandbox.WorkspaceWrite))
	section("unavailable", sandbox.CodeUnavailable)
	section("end of an unavailable error", lastWords(t))
	foreground(t, section)
	background(t, section)
	section("landlock-run", strings.Join([]string{
		landlockrun.PartialNotice, landlockrun.FullyEnforced, landlockrun.PartiallyEnforced,
	}, "\n"))
	wantGolden(t, filepath.Join("testdata", "strings.golden"), b.String())
}

// lastWords returns what an error ends with when the runner's own words are
// known.
func lastWords(t *testing.T) string {
	t.Helper()
	without := (&sandbox.UnavailableError{Mode: sandbox.ReadOnly}).Error()
	with := (&sandbox.UnavailableError{Mode: sandbox.ReadOnly, Detail: "<detail>"}).Error()
	words, ok := strings.CutPrefix(with, without)
	if !ok {
		t.Errorf("the detail changes what stands before it: %q, %q", without, with)
	}
	return words
}

func foreground(t *testing.T, section func(name, text string)) {
	t.Helper()
	tool, err := bashtool.New(bashtool.Config{Executor: canned{}})
	if err != nil {
		t.Fatal(err)
	}
	section("nothing", tool.Render(bash.Result{}))
	section("both streams, truncated, denied, timed out", tool.Render(bash.Result{
		Stdout:   bash.Output{Text: "out", Truncated: true, SpillPath: "/spill/out"},
		Stderr:   bash.Output{Text: "err", Truncated: true},
		Sandbox:  &bash.SandboxInfo{Mode: sandbox.ReadOnly, Denied: true},
		TimedOut: true, Timeout: 1500 * time.Millisecond, ExitCode: 7,
	}))
	section("a signal", tool.Render(bash.Result{ExitCode: -1, Signal: "SIGKILL"}))
}

func background(t *testing.T, section func(name, text string)) {
	t.Helper()
	for _, tt := range []struct {
		name string
		canned
	}{
		{"a task that lost output", canned{state: bash.State{Status: bash.StatusRunning}, delta: bash.Delta{Text: "tail\n", Lossy: true, SpillPaths: []string{"/spill/1", "/spill/2"}}}},
		{"a task that lost output for good, and was denied", canned{
			delta: bash.Delta{Text: "tail\n", Lossy: true},
			state: bash.State{Status: bash.StatusCompleted, ExitCode: 1, Sandbox: &bash.SandboxInfo{Mode: sandbox.ReadOnly, Denied: true}},
		}},
		{"a task that did not run", canned{
			state: bash.State{Status: bash.StatusCompleted, ExitCode: 125, Sandbox: &bash.SandboxInfo{Mode: sandbox.ReadOnly, RunnerFailed: true}},
		}},
	} {
		tool, err := bashtool.New(bashtool.Config{Executor: tt.canned})
		if err != nil {
			t.Fatal(err)
		}
		section(tt.name, use(t, tool.Run, `{"command":"c","description":"d","run_in_background":true}`)+
			use(t, tool.TaskTools()[0].Run, `{"task_id":"1"}`))
	}
}

func use(t *testing.T, run func(context.Context, bashtool.Call) (string, error), arguments string) string {
	t.Helper()
	text, err := run(t.Context(), bashtool.Call{Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func wantGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is out of date; run the test with -update\n%s", path, got)
	}
}
