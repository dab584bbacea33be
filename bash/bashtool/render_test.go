package bashtool

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
)

var update = flag.Bool("update", false, "rewrite testdata from what the code says")

// TestExactStrings pins every string that a model or another program may rely
// on, in one golden file.
func TestExactStrings(t *testing.T) {
	advertised := newTool(t, Config{Executor: &executor{mode: sandbox.ReadOnly}})
	silent := newTool(t, Config{Executor: &executor{mode: sandbox.DangerFullAccess}})
	info := func(mode sandbox.Mode) *bash.SandboxInfo { return &bash.SandboxInfo{Mode: mode, Denied: true} }
	failed := &bash.SandboxInfo{Mode: sandbox.WorkspaceWrite, RunnerFailed: true}
	out := func(text string) bash.Output { return bash.Output{Text: text} }
	cut := func(text, path string) bash.Output { return bash.Output{Text: text, Truncated: true, SpillPath: path} }
	killed := bash.State{Status: bash.StatusKilled, ExitCode: -1, Signal: "SIGTERM"}
	ended := func(info *bash.SandboxInfo, code int) bash.State {
		return bash.State{Status: bash.StatusCompleted, ExitCode: code, Sandbox: info}
	}
	var golden strings.Builder
	for _, tt := range []struct{ name, text string }{
		{"nothing", advertised.Render(bash.Result{})},
		{"standard output alone", advertised.Render(bash.Result{Stdout: out("out\n")})},
		{"output without a newline", advertised.Render(bash.Result{Stdout: out("out")})},
		{"standard error alone", advertised.Render(bash.Result{Stderr: out("err\n")})},
		{"both, without newlines, and an exit code", advertised.Render(bash.Result{Stdout: out("out"), Stderr: out("err"), ExitCode: 2})},
		{"an exit code alone", advertised.Render(bash.Result{ExitCode: 1})},
		{"a signal", advertised.Render(bash.Result{ExitCode: -1, Signal: "SIGKILL"})},
		{"a timeout", advertised.Render(bash.Result{ExitCode: -1, Signal: "SIGTERM", TimedOut: true, Timeout: 1500 * time.Millisecond})},
		{"a timeout that was trapped", advertised.Render(bash.Result{Stdout: out("bye\n"), TimedOut: true, Timeout: time.Second})},
		{"a denial", advertised.Render(bash.Result{Stderr: out("no\n"), ExitCode: 1, Sandbox: info(sandbox.ReadOnly)})},
		{"a denial where nothing can be asked", silent.Render(bash.Result{Stderr: out("no\n"), ExitCode: 1, Sandbox: info(sandbox.WorkspaceWrite)})},
		{"everything at once", advertised.Render(bash.Result{
			Stdout: cut("out", "/spill/out"), Stderr: cut("err", ""), ExitCode: 1,
			Sandbox: info(sandbox.ReadOnly), TimedOut: true, Timeout: 2 * time.Second,
		})},
		{"a task that runs", advertised.renderTask(bash.State{Status: bash.StatusRunning}, bash.Delta{Text: "out\n"})},
		{"a task that runs and has nothing new", advertised.renderTask(bash.State{Status: bash.StatusRunning}, bash.Delta{})},
		{"a task that succeeded", advertised.renderTask(ended(nil, 0), bash.Delta{Text: "out\n[stderr]\nerr"})},
		{"a task that was killed", advertised.renderTask(killed, bash.Delta{})},
		{"a task that was denied, with a loss", advertised.renderTask(ended(info(sandbox.ReadOnly), 1), bash.Delta{Text: "tail\n", Lossy: true, SpillPaths: []string{"/spill/1", "/spill/2"}})},
		{"a task with a loss for good", advertised.renderTask(ended(nil, 0), bash.Delta{Text: "tail\n", Lossy: true})},
		{"a task whose runner failed", advertised.renderTask(ended(failed, 125), bash.Delta{Text: "[stderr]\nwhy\n"})},
		{"the hint of a file tool", sandbox.EscalationHint("operation") + "\n"},
		{"the code of an unavailable sandbox", (&sandbox.UnavailableError{}).Code() + "\n"},
	} {
		fmt.Fprintf(&golden, "== %s\n%s", tt.name, tt.text)
		if !strings.HasSuffix(tt.text, "\n") {
			golden.WriteString("\\ no newline\n")
		}
	}
	wantGolden(t, "testdata/strings.golden", golden.String())
}

// TestWhatTheModelReads pins the schemas and descriptions: a change to them is
// a change to every prompt.
func TestWhatTheModelReads(t *testing.T) {
	tool := newTool(t, Config{Executor: &executor{mode: sandbox.ReadOnly}})
	var golden strings.Builder
	fmt.Fprintf(&golden, "== %s\n%s\n%s\n", Name, tool.Schema(), tool.Description())
	for _, other := range tool.TaskTools() {
		fmt.Fprintf(&golden, "== %s\n%s\n%s\n", other.Name, other.Schema, other.Description)
	}
	wantGolden(t, "testdata/tools.golden", golden.String())
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

func TestParseExitStatus(t *testing.T) {
	tests := map[string]ExitStatus{
		"":                                    {},
		"out\n":                               {},
		"out\n[exit code: 1]\n":               {Code: 1},
		"[exit code: 125]":                    {Code: 125},
		"out\n[killed by signal: SIGKILL]\n":  {Code: -1, Signal: "SIGKILL"},
		"[killed by signal: SIGRTMIN+3]\n":    {Code: -1, Signal: "SIGRTMIN+3"},
		"[exit code: 1]\nmore\n":              {},
		"x [exit code: 1]\n":                  {},
		"[exit code: x]\n":                    {},
		"[exit code: 01]\n":                   {},
		"[exit code: +1]\n":                   {},
		"[exit code: 1] \n":                   {},
		"[killed by signal: ]\n":              {},
		"[killed by signal: SIG]\n":           {},
		"[killed by signal: SIG KILL]\n":      {},
		"[exit code: 99999999999999999999]\n": {},
	}
	for text, want := range tests {
		if got := ParseExitStatus(text); got != want {
			t.Errorf("ParseExitStatus(%q) = %+v, want %+v", text, got, want)
		}
	}
}

func FuzzParseExitStatusInvertsRender(f *testing.F) {
	f.Add("out\n", 3, "")
	f.Add("[exit code: 4]", -1, "SIGKILL")
	f.Add("", 0, "")
	tool, err := New(Config{Executor: &executor{mode: sandbox.ReadOnly}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, stdout string, code int, signal string) {
		if signal != "" && (!isSignal(signal)) || code == 0 && signal == "" {
			ParseExitStatus(stdout) // must not panic, whatever it is given
			return
		}
		want := ExitStatus{Code: code}
		if signal != "" {
			want = ExitStatus{Code: -1, Signal: signal}
		}
		text := tool.Render(bash.Result{Stdout: bash.Output{Text: stdout}, ExitCode: want.Code, Signal: want.Signal})
		if got := ParseExitStatus(text); got != want {
			t.Errorf("%q is read as %+v, want %+v", text, got, want)
		}
	})
}
