package bashsandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dsh-go/dsh/bash"
	bashlocal "github.com/dsh-go/dsh/bash-local"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

// reporting is a private channel whose report is the state in words.
var reporting = &sandbox.Status{Read: func(report []byte) sandbox.StartState {
	switch string(report) {
	case "started":
		return sandbox.CommandStarted
	case "not started":
		return sandbox.CommandNotStarted
	default:
		return sandbox.StartUnknown
	}
}}

// TestVerdict holds the whole decision for a command that ended: who ended it
// × the channel × the exit × standard error.
func TestVerdict(t *testing.T) {
	const runner = "launcher: cannot confine\n"
	const denial = "touch: x: Permission denied\n"
	exit := func(code int) subprocess.Outcome { return subprocess.Outcome{ExitCode: code} }
	signal := func(name string) subprocess.Outcome { return subprocess.Outcome{ExitCode: -1, Signal: name} }
	terminated := func(o subprocess.Outcome) subprocess.Outcome { o.Terminated = true; return o }
	tests := []struct {
		name    string
		outcome subprocess.Outcome
		channel bool
		report  string
		stderr  string
		want    verdict
	}{
		{name: "success", outcome: exit(0)},
		{name: "success with a denial's text", outcome: exit(0), stderr: denial},
		{name: "success with a runner's text", outcome: exit(0), stderr: runner},
		{name: "a plain failure", outcome: exit(1), stderr: "no\n"},
		{name: "a denial", outcome: exit(1), stderr: denial, want: verdict{denied: true}},
		{name: "a denial with the runner's exit code", outcome: exit(125), stderr: denial, want: verdict{denied: true}},
		{name: "a signal death is no denial", outcome: signal("SIGKILL"), stderr: denial},

		{name: "no channel: the rule decides", outcome: exit(125), stderr: runner, want: verdict{runnerFailed: true, detail: "launcher: cannot confine"}},
		{name: "no channel: another exit code", outcome: exit(1), stderr: runner},
		{name: "no channel: runner failure outranks denial", outcome: exit(125), stderr: denial + runner, want: verdict{runnerFailed: true, detail: "launcher: cannot confine"}},
		{name: "no channel: a signal death never matches", outcome: signal("SIGTERM"), stderr: runner},
		{name: "no channel: terminated by us", outcome: terminated(exit(125)), stderr: runner},

		{name: "channel: started, and it prints a runner's text", outcome: exit(125), channel: true, report: "started", stderr: runner},
		{name: "channel: started, denied", outcome: exit(1), channel: true, report: "started", stderr: denial, want: verdict{denied: true}},
		{name: "channel: not started", outcome: exit(1), channel: true, report: "not started", stderr: "broken\n", want: verdict{runnerFailed: true, detail: "broken"}},
		{name: "channel: not started, without a word", outcome: exit(1), channel: true, report: "not started", want: verdict{runnerFailed: true}},
		{name: "channel: not started, and not denied", outcome: exit(1), channel: true, report: "not started", stderr: denial, want: verdict{runnerFailed: true, detail: "touch: x: Permission denied"}},
		{name: "channel: not started, but a signal ended the runner", outcome: signal("SIGKILL"), channel: true, report: "not started", stderr: runner},
		{name: "channel: not started, but terminated by us", outcome: terminated(exit(1)), channel: true, report: "not started", stderr: runner},
		{name: "channel: unknown falls through to the rule", outcome: exit(125), channel: true, stderr: runner, want: verdict{runnerFailed: true, detail: "launcher: cannot confine"}},
		{name: "channel: unknown, and no rule matches", outcome: exit(1), channel: true, stderr: denial, want: verdict{denied: true}},

		{name: "terminated, but the command was denied before", outcome: terminated(exit(1)), stderr: denial, want: verdict{denied: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := testCall(t, t.TempDir())
			if tt.channel {
				c.confinement.Status = reporting
			}
			c.evidence.observe([]byte(tt.stderr))
			got := c.verdict(bashlocal.Settlement{Outcome: tt.outcome, Report: []byte(tt.report)})
			if got != tt.want {
				t.Errorf("verdict = %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestStartBlame holds the whole decision for a start that failed: the stage ×
// the program × the error × the working directory.
func TestStartBlame(t *testing.T) {
	const runner, shell = "/usr/bin/runner", "/bin/bash"
	start := func(stage subprocess.Stage, program string, err error) error {
		return &subprocess.StartError{Stage: stage, Program: program, Err: err}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(dir, "gone")
	tests := []struct {
		name     string
		workdir  string
		onThread bool
		err      error
		want     bool
	}{
		{name: "the runner is gone", workdir: dir, err: start(subprocess.StageExec, runner, syscall.ENOENT), want: true},
		{name: "the runner cannot be executed", workdir: dir, err: start(subprocess.StageExec, runner, syscall.EACCES), want: true},
		{name: "gone, as the library says it", workdir: dir, err: start(subprocess.StageExec, runner, fs.ErrNotExist), want: true},
		{name: "the runner is gone, and so is the directory", workdir: gone, err: start(subprocess.StageExec, runner, syscall.ENOENT)},
		{name: "the directory is a file", workdir: file, err: start(subprocess.StageExec, runner, syscall.ENOENT)},
		{name: "no memory", workdir: dir, err: start(subprocess.StageExec, runner, syscall.ENOMEM)},
		{name: "too long", workdir: dir, err: start(subprocess.StageExec, runner, syscall.E2BIG)},
		{name: "not permitted is another error than not accessible", workdir: dir, err: start(subprocess.StageExec, runner, syscall.EPERM)},
		{name: "another program", workdir: dir, err: start(subprocess.StageExec, shell, syscall.ENOENT)},
		{name: "a program whose name begins alike", workdir: dir, err: start(subprocess.StageExec, runner+"2", syscall.ENOENT)},
		{name: "the directory", workdir: dir, err: start(subprocess.StageDirectory, runner, syscall.ENOENT)},
		{name: "the specification", workdir: dir, err: start(subprocess.StageValidate, runner, syscall.ENOENT)},
		{name: "in-thread: bash is gone", workdir: dir, onThread: true, err: start(subprocess.StageExec, shell, syscall.ENOENT)},
		{name: "in-thread: the thread cannot be restricted", workdir: dir, onThread: true, err: start(subprocess.StageRestrict, shell, syscall.EPERM), want: true},
		{name: "another error", workdir: dir, err: errors.New("other")},
		{name: "none", workdir: dir},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := testCall(t, tt.workdir)
			c.confinement.Argv = []string{runner, "--", shell}
			if tt.onThread {
				c.confinement.Argv = nil
				c.confinement.OnThread = &sandbox.OnThread{Argv: []string{shell}}
			}
			detail, blame := c.startBlame(tt.err)
			if blame != tt.want || blame == (detail == "") {
				t.Errorf("startBlame = %q, %v, want %v", detail, blame, tt.want)
			}
			if late := c.verdict(bashlocal.Settlement{Err: orUnknown(tt.err)}); late.runnerFailed != tt.want || late.denied {
				t.Errorf("learned late: %+v", late)
			}
		})
	}
}

// orUnknown gives a late failure an error even where the table has none.
func orUnknown(err error) error {
	if err == nil {
		return errors.New("unknown")
	}
	return err
}

func TestTheEndOfTheContextIsTheFirstCause(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := testCall(t, t.TempDir())
	failed := &subprocess.StartError{Stage: subprocess.StageRestrict, Err: syscall.EPERM}
	if _, err := c.concluded(ctx, bash.Result{}, failed); !errors.Is(err, context.Canceled) || errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("foreground: %v", err)
	}
	if err := c.blamed(ctx, failed); !errors.Is(err, context.Canceled) || errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("background: %v", err)
	}
	if _, err := c.concluded(ctx, bash.Result{Aborted: true}, nil); err != nil {
		t.Errorf("an aborted command: %v", err)
	}
}

func TestARunnerFailureKeepsWhatWasCollected(t *testing.T) {
	c := testCall(t, t.TempDir())
	result := bash.Result{ExitCode: 125, Stderr: bash.Output{Text: "kept"}, Sandbox: &bash.SandboxInfo{RunnerFailed: true, Detail: "why"}}
	got, err := c.concluded(t.Context(), result, nil)
	var unavailable *sandbox.UnavailableError
	if !errors.As(err, &unavailable) || unavailable.Detail != "why" || unavailable.Mode != sandbox.ReadOnly {
		t.Errorf("error %v", err)
	}
	if got.Stderr.Text != "kept" || got.ExitCode != 125 {
		t.Errorf("result %+v", got)
	}
}

func testCall(t *testing.T, workdir string) *call {
	t.Helper()
	return &call{
		spec: bash.Spec{Workdir: workdir, Policy: sandbox.Policy{Mode: sandbox.ReadOnly}},
		confinement: &sandbox.Confinement{
			Argv:    []string{"/usr/bin/runner"},
			Dialect: launcher,
			Report:  sandbox.Report{Runner: "launcher", Enforcement: sandbox.Full},
		},
		evidence: newEvidence(launcher),
	}
}
