package bashlocal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

func TestTheZeroConfigIsTheDocumentedDefault(t *testing.T) {
	dir, err := sandbox.Canonical(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	got := resolve(t, newExecutor(t, Config{}, &fakeService{}), bash.Request{Command: "c"})
	want := bash.Spec{
		Command:        "c",
		Workdir:        dir,
		Timeout:        120 * time.Second,
		StdoutMaxBytes: 64_000,
		StderrMaxBytes: 64_000,
		Env:            map[string]string{"NO_COLOR": "1", "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "LANGUAGE": "en"},
		Policy:         sandbox.Policy{Mode: sandbox.DangerFullAccess},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTimeouts(t *testing.T) {
	tests := []struct {
		config      Config
		asked, want time.Duration
	}{
		{Config{}, 0, 120 * time.Second},
		{Config{}, time.Second, time.Second},
		{Config{}, time.Hour, 600 * time.Second},
		{Config{}, -1, 600 * time.Second},
		{Config{Timeout: time.Hour}, 0, 600 * time.Second},
		{Config{Timeout: -1}, 0, 600 * time.Second},
		{Config{MaxTimeout: -1}, time.Hour, time.Hour},
		{Config{MaxTimeout: -1}, -1, 0},
		{Config{MaxTimeout: -1, Timeout: -1}, 0, 0},
		{Config{MaxTimeout: time.Second}, 0, time.Second},
	}
	for _, tt := range tests {
		spec := resolve(t, newExecutor(t, tt.config, &fakeService{}), bash.Request{Timeout: tt.asked})
		if spec.Timeout != tt.want {
			t.Errorf("%+v, asked for %v: %v, want %v", tt.config, tt.asked, spec.Timeout, tt.want)
		}
	}
}

func TestEntriesOfTheRequestWin(t *testing.T) {
	config := Config{Env: map[string]string{"A": "config", "B": "config", "TERM": "config"}}
	spec := resolve(t, newExecutor(t, config, &fakeService{}), bash.Request{Env: map[string]string{"B": "request", "PAGER": "request"}})
	want := map[string]string{
		"NO_COLOR": "1", "TERM": "config", "PAGER": "request", "GIT_PAGER": "cat", "LANGUAGE": "en", "A": "config", "B": "request",
	}
	if diff := cmp.Diff(want, spec.Env); diff != "" {
		t.Error(diff)
	}
}

func TestNewRefusesWhatCannotBeUsed(t *testing.T) {
	for field, config := range map[string]Config{
		"Shell":    {Shell: "ba\x00sh"},
		"MaxBytes": {MaxBytes: -1},
		"Env":      {Env: map[string]string{"A=B": ""}},
		"Workdir":  {Workdir: "/no/such/directory"},
	} {
		var invalid *ConfigError
		if _, err := New(config, &fakeService{}); !errors.As(err, &invalid) || invalid.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := New(Config{}, nil); err == nil {
		t.Error("no service is accepted")
	}
}

func TestAPolicyThatConfinesIsRefused(t *testing.T) {
	procs := &fakeService{handle: &fakeHandle{}}
	executor := newExecutor(t, Config{}, procs)
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite, ""} {
		req := bash.Request{Command: "c", Policy: &sandbox.Policy{Mode: mode}}
		if _, err := bash.Run(t.Context(), executor, req); !errors.Is(err, bash.ErrCannotConfine) {
			t.Errorf("Run under %q: %v", mode, err)
		}
		if _, err := bash.Start(t.Context(), executor, req); !errors.Is(err, bash.ErrCannotConfine) {
			t.Errorf("Start under %q: %v", mode, err)
		}
	}
	if len(procs.started) != 0 || procs.looked != 0 {
		t.Errorf("started %d, looked %d times", len(procs.started), procs.looked)
	}
}

func TestPrepare(t *testing.T) {
	procs := &fakeService{}
	executor := newExecutor(t, Config{}, procs)
	for command, want := range map[string][]string{
		"echo":  {"/found/bash", "-c", "echo"},
		"":      {"/found/bash", "-c", ""},
		"-x":    {"/found/bash", "-c", "--", "-x"},
		"+x":    {"/found/bash", "-c", "--", "+x"},
		" -x":   {"/found/bash", "-c", " -x"},
		"a\n-b": {"/found/bash", "-c", "a\n-b"},
	} {
		launch, err := executor.Prepare(t.Context(), bash.Spec{Command: command, Env: map[string]string{"PATH": "/evil"}})
		if err != nil || !slices.Equal(launch.Argv, want) {
			t.Errorf("Prepare(%q) = %q, %v", command, launch.Argv, err)
		}
	}
	if procs.looked != 1 {
		t.Errorf("looked for bash %d times", procs.looked)
	}
}

func TestAMissingShellIsLookedForAgain(t *testing.T) {
	procs := &fakeService{lookErr: subprocess.ErrNotFound}
	executor := newExecutor(t, Config{Shell: "bosh"}, procs)
	_, err := bash.Run(t.Context(), executor, bash.Request{})
	var missing *bash.ShellNotFoundError
	if !errors.As(err, &missing) || missing.Shell != "bosh" || !errors.Is(err, subprocess.ErrNotFound) {
		t.Errorf("%v", err)
	}
	procs.lookErr, procs.handle = nil, &fakeHandle{}
	if _, err := bash.Run(t.Context(), executor, bash.Request{}); err != nil {
		t.Errorf("once it is there: %v", err)
	}
	procs.startErr = &subprocess.StartError{Stage: subprocess.StageExec, Program: "/found/bosh", Err: syscall.ENOENT}
	if _, err := bash.Run(t.Context(), executor, bash.Request{}); !errors.As(err, &missing) {
		t.Errorf("once it is gone: %v", err)
	}
	procs.startErr = nil
	if _, err := bash.Run(t.Context(), executor, bash.Request{}); err != nil || procs.looked != 3 {
		t.Errorf("once it is back: %v, looked %d times", err, procs.looked)
	}
}

func TestStartErrorsInTermsOfTheRequest(t *testing.T) {
	start := func(stage subprocess.Stage, program string, err error) error {
		return &subprocess.StartError{Stage: stage, Program: program, Dir: "/d", Err: err}
	}
	invalid := func(field string) error { return &subprocess.InvalidSpecError{Field: field, Err: subprocess.ErrNUL} }
	tests := []struct {
		name string
		err  error
		want error
	}{
		{"directory", start(subprocess.StageDirectory, "/found/bash", fs.ErrNotExist), &bash.WorkdirError{}},
		{"argument", start(subprocess.StageValidate, "", invalid("Argv")), &bash.InvalidRequestError{Field: "Command"}},
		{"directory's name", start(subprocess.StageValidate, "", invalid("Dir")), &bash.InvalidRequestError{Field: "Workdir"}},
		{"environment", start(subprocess.StageValidate, "", invalid("Env")), &bash.InvalidRequestError{Field: "Env"}},
		{"too long", start(subprocess.StageValidate, "", &subprocess.TooLongError{Field: "Argv"}), &bash.InvalidRequestError{Field: "Command"}},
		{"too much", start(subprocess.StageValidate, "", &subprocess.TooLongError{Field: "Argv and Env"}), &bash.InvalidRequestError{Field: "Command"}},
		{"too long an entry", start(subprocess.StageValidate, "", &subprocess.TooLongError{Field: "Env"}), &bash.InvalidRequestError{Field: "Env"}},
		{"closed", start(subprocess.StageValidate, "", subprocess.ErrClosed), &subprocess.StartError{}},
		{"bash is gone", start(subprocess.StageExec, "/found/bash", syscall.ENOENT), &bash.ShellNotFoundError{}},
		{"bash cannot be executed", start(subprocess.StageExec, "/found/bash", syscall.EACCES), &bash.ShellNotFoundError{}},
		{"no process left", start(subprocess.StageExec, "/found/bash", syscall.EAGAIN), &subprocess.StartError{}},
		{"a runner", start(subprocess.StageExec, "/found/runner", syscall.ENOENT), &subprocess.StartError{}},
		{"a restriction", start(subprocess.StageRestrict, "/found/bash", syscall.EPERM), &subprocess.StartError{}},
		{"anything else", errOther, errOther},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			executor := newExecutor(t, Config{}, &fakeService{startErr: tt.err})
			_, err := bash.Run(t.Context(), executor, bash.Request{Command: "c"})
			if !sameKind(err, tt.want) {
				t.Errorf("Run: %T %v, want %T", err, err, tt.want)
			}
			late := newExecutor(t, Config{}, &fakeService{handle: &fakeHandle{err: tt.err}})
			process, err := bash.Start(t.Context(), late, bash.Request{Command: "c"})
			if err != nil {
				t.Fatal(err)
			}
			if state := process.State(); !sameKind(state.Err, tt.want) {
				t.Errorf("learned late: %T %v, want %T", state.Err, state.Err, tt.want)
			}
		})
	}
}

var errOther = errors.New("other")

// sameKind compares the types of two errors, and the field of a request.
func sameKind(got, want error) bool {
	var gotRequest, wantRequest *bash.InvalidRequestError
	if errors.As(want, &wantRequest) {
		return errors.As(got, &gotRequest) && gotRequest.Field == wantRequest.Field
	}
	return fmt.Sprintf("%T", got) == fmt.Sprintf("%T", want)
}

func TestRunSettlesOnceWithAllThatIsKnown(t *testing.T) {
	handle := &fakeHandle{outcome: subprocess.Outcome{ExitCode: 4}, report: []byte("report")}
	executor := newExecutor(t, Config{}, &fakeService{handle: handle})
	spec := resolve(t, executor, bash.Request{})
	var got []Settlement
	launch := Launch{Argv: []string{"/x"}, Settle: func(s Settlement) *bash.SandboxInfo {
		got = append(got, s)
		return &bash.SandboxInfo{Denied: true}
	}}
	result, err := executor.RunLaunch(t.Context(), spec, launch)
	if err != nil || result.Sandbox == nil || !result.Sandbox.Denied || result.ExitCode != 4 {
		t.Errorf("result %+v, %v", result, err)
	}
	process, err := executor.StartLaunch(t.Context(), spec, launch)
	if err != nil {
		t.Fatal(err)
	}
	if first, second := process.State(), process.State(); first != second || first.Sandbox == nil {
		t.Errorf("states %+v and %+v", first, second)
	}
	want := Settlement{Outcome: handle.outcome, Report: handle.report}
	if diff := cmp.Diff([]Settlement{want, want}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDelta(t *testing.T) {
	tests := []struct {
		name     string
		out, err subprocess.Chunk
		want     bash.Delta
	}{
		{"nothing", subprocess.Chunk{}, subprocess.Chunk{}, bash.Delta{}},
		{"both", subprocess.Chunk{Text: "o\n"}, subprocess.Chunk{Text: "e\n"}, bash.Delta{Text: "o\n[stderr]\ne\n"}},
		{"no newline between", subprocess.Chunk{Text: "o"}, subprocess.Chunk{Text: "e"}, bash.Delta{Text: "o\n[stderr]\ne"}},
		{"stderr alone", subprocess.Chunk{}, subprocess.Chunk{Text: "e"}, bash.Delta{Text: "[stderr]\ne"}},
		{
			"only the file of what was lost",
			subprocess.Chunk{Text: "o", SpillPath: "/o"},
			subprocess.Chunk{Text: "e", Lossy: true, SpillPath: "/e"},
			bash.Delta{Text: "o\n[stderr]\ne", Lossy: true, SpillPaths: []string{"/e"}},
		},
		{"lost for good", subprocess.Chunk{Text: "o", Lossy: true}, subprocess.Chunk{}, bash.Delta{Text: "o", Lossy: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, delta(tt.out, tt.err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheLogNeverHoldsTheCommandOrAValue(t *testing.T) {
	var log bytes.Buffer
	config := Config{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	executor := newExecutor(t, config, &fakeService{handle: &fakeHandle{}})
	if _, err := bash.Run(t.Context(), executor, bash.Request{Command: "hush1", Env: map[string]string{"A": "hush2"}}); err != nil {
		t.Fatal(err)
	}
	if log.Len() == 0 || strings.Contains(log.String(), "hush") {
		t.Errorf("log: %s", log.String())
	}
}
