package bashsandbox

import (
	"context"
	"errors"
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

// What a runner and a command print in the cases below.
const (
	runnersText = "launcher: cannot confine\n"
	denialText  = "touch: x: Permission denied\n"
)

func exit(code int) subprocess.Outcome { return subprocess.Outcome{ExitCode: code} }

func signal(name string) subprocess.Outcome { return subprocess.Outcome{ExitCode: -1, Signal: name} }

func terminated(o subprocess.Outcome) subprocess.Outcome {
	o.Terminated = true
	return o
}

// verdictCases hold the whole decision for a command that ended: who ended it
// × the channel × the exit × standard error.
var verdictCases = []struct {
	name    string
	outcome subprocess.Outcome
	channel bool
	report  string
	stderr  string
	want    verdict
}{
	{name: "success", outcome: exit(0)},
	{name: "success with a denial's text", outcome: exit(0), stderr: denialText},
	{name: "success with a runner's text", outcome: exit(0), stderr: runnersText},
	{name: "a plain failure", outcome: exit(1), stderr: "no\n"},
	{name: "a denial", outcome: exit(1), stderr: denialText, want: verdict{denied: true}},
	{name: "a denial with the runner's exit code", outcome: exit(125), stderr: denialText, want: verdict{denied: true}},
	{name: "a signal death is no denial", outcome: signal("SIGKILL"), stderr: denialText},

	{name: "no channel: the rule decides", outcome: exit(125), stderr: runnersText, want: verdict{runnerFailed: true, detail: "launcher: cannot confine"}},
	{name: "no channel: another exit code", outcome: exit(1), stderr: runnersText},
	{name: "no channel: runner failure outranks denial", outcome: exit(125), stderr: denialText + runnersText, want: verdict{runnerFailed: true, detail: "launcher: cannot confine"}},
	{name: "no channel: a signal death never matches", outcome: signal("SIGTERM"), stderr: runnersText},
	{name: "no channel: terminated by us", outcome: terminated(exit(125)), stderr: runnersText},

	{name: "channel: started, and it prints a runner's text", outcome: exit(125), channel: true, report: "started", stderr: runnersText},
	{name: "channel: started, denied", outcome: exit(1), channel: true, report: "started", stderr: denialText, want: verdict{denied: true}},
	{name: "channel: not started", outcome: exit(1), channel: true, report: "not started", stderr: "broken\n", want: verdict{runnerFailed: true, detail: "broken"}},
	{name: "channel: not started, without a word", outcome: exit(1), channel: true, report: "not started", want: verdict{runnerFailed: true}},
	{name: "channel: not started, and not denied", outcome: exit(1), channel: true, report: "not started", stderr: denialText, want: verdict{runnerFailed: true, detail: "touch: x: Permission denied"}},
	{name: "channel: not started, but a signal ended the runner", outcome: signal("SIGKILL"), channel: true, report: "not started", stderr: runnersText},
	{name: "channel: not started, but terminated by us", outcome: terminated(exit(1)), channel: true, report: "not started", stderr: runnersText},
	{name: "channel: unknown falls through to the rule", outcome: exit(125), channel: true, stderr: runnersText, want: verdict{runnerFailed: true, detail: "launcher: cannot confine"}},
	{name: "channel: unknown, and no rule matches", outcome: exit(1), channel: true, stderr: denialText, want: verdict{denied: true}},

	{name: "terminated, but the command was denied before", outcome: terminated(exit(1)), stderr: denialText, want: verdict{denied: true}},
}

func TestVerdict(t *testing.T) {
	for _, tt := range verdictCases {
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
