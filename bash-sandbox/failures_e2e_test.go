package bashsandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/dsh-go/dsh/bash"
	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/sandbox"
)

// brokenProvider fails the test that asks it.
type brokenProvider struct{ t *testing.T }

func (p brokenProvider) Confine(context.Context, sandbox.Request) (*sandbox.Confinement, error) {
	p.t.Error("the provider was asked")
	return nil, sandbox.ErrFullAccess
}

// stubProvider wraps a command in a program that it is told.
type stubProvider struct {
	program string
	err     error
	broken  bool // the confinement breaks the contract
}

func (p stubProvider) Confine(_ context.Context, req sandbox.Request) (*sandbox.Confinement, error) {
	if p.err != nil {
		return nil, p.err
	}
	c := &sandbox.Confinement{
		Argv: append([]string{p.program}, req.Argv...),
		Env:  req.Env,
		Dialect: sandbox.Dialect{
			Denials: []string{"permission denied"},
			Failures: []sandbox.FailureRule{{
				ExitCodes:     []int{125},
				Fatal:         []string{"stub-run: "},
				Informational: []string{"stub-run: partial enforcement"},
			}},
		},
		Report: sandbox.Report{Runner: "custom", Enforcement: sandbox.Full},
	}
	if p.broken {
		c.Argv = nil
	}
	return c, nil
}

// script writes an executable script and returns its path.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(outsideTemp(t), "stub-run")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantUnavailable(t *testing.T, err error) *sandbox.UnavailableError {
	t.Helper()
	var unavailable *sandbox.UnavailableError
	if !errors.As(err, &unavailable) || !errors.Is(err, sandbox.ErrUnavailable) {
		t.Fatalf("%v, want an unavailable error", err)
	}
	return unavailable
}

func TestAProvidersErrorPassesUnchanged(t *testing.T) {
	refusal := &sandbox.UnavailableError{Mode: sandbox.ReadOnly}
	w := newWorldWith(t, stubProvider{err: refusal}, bashsandbox.Config{})
	if _, err := w.try(sandbox.WorkspaceWrite, "touch ran"); err != error(refusal) {
		t.Errorf("Run: %v", err)
	}
	if _, err := bash.Start(t.Context(), w.executor, w.request(sandbox.WorkspaceWrite, "touch ran")); err != error(refusal) {
		t.Errorf("Start: %v", err)
	}
	w.wantAbsent(filepath.Join(w.workspace, "ran"))
}

func TestAConfinementThatDoesNotConfineIsRefused(t *testing.T) {
	w := newWorldWith(t, stubProvider{broken: true}, bashsandbox.Config{})
	_, err := w.try(sandbox.WorkspaceWrite, "touch ran")
	wantUnavailable(t, err)
	if !errors.Is(err, sandbox.ErrMalformed) {
		t.Errorf("%v does not say why", err)
	}
	w.wantAbsent(filepath.Join(w.workspace, "ran"))
}

func TestARunnerThatCannotBeExecutedIsUnavailable(t *testing.T) {
	gone := script(t, "")
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	plain := script(t, "exit 0\n")
	if err := os.Chmod(plain, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, program := range map[string]string{"deleted": gone, "not executable": plain} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWith(t, stubProvider{program: program}, bashsandbox.Config{})
			result, err := w.try(sandbox.WorkspaceWrite, "touch ran")
			if detail := wantUnavailable(t, err).Detail; detail == "" {
				t.Error("no detail")
			}
			if result.Sandbox == nil || !result.Sandbox.RunnerFailed || result.Sandbox.Denied {
				t.Errorf("facts %+v", result.Sandbox)
			}
			_, err = bash.Start(t.Context(), w.executor, w.request(sandbox.WorkspaceWrite, "touch ran"))
			wantUnavailable(t, err)
			w.wantAbsent(filepath.Join(w.workspace, "ran"))
		})
	}
}

func TestARunnerThatFailsIsUnavailable(t *testing.T) {
	w := newWorldWith(t, stubProvider{program: script(t, "echo 'stub-run: no kernel support' >&2; exit 125\n")}, bashsandbox.Config{})
	result, err := w.try(sandbox.WorkspaceWrite, "touch ran")
	if detail := wantUnavailable(t, err).Detail; detail != "stub-run: no kernel support" {
		t.Errorf("detail %q", detail)
	}
	if result.ExitCode != 125 || result.Stderr.Text != "stub-run: no kernel support\n" {
		t.Errorf("what was collected is gone: %+v", result)
	}
	state, delta := w.background(sandbox.WorkspaceWrite, "touch ran")
	if state.Sandbox == nil || !state.Sandbox.RunnerFailed || state.Sandbox.Denied || state.Sandbox.Detail != "stub-run: no kernel support" {
		t.Errorf("background facts %+v", state.Sandbox)
	}
	if delta.Text != "[stderr]\nstub-run: no kernel support\n" {
		t.Errorf("background output %q", delta.Text)
	}
	w.wantAbsent(filepath.Join(w.workspace, "ran"))
}

func TestAPartialNoticeIsNotBlamedForTheCommand(t *testing.T) {
	w := newWorldWith(t, stubProvider{program: script(t, "echo 'stub-run: partial enforcement' >&2; exec \"$@\"\n")}, bashsandbox.Config{})
	for command, code := range map[string]int{"false": 1, "exit 2": 2, "exit 125": 125} {
		result := w.run(sandbox.ReadOnly, command)
		if result.ExitCode != code || result.Stderr.Text != "stub-run: partial enforcement\n" {
			t.Errorf("%s: exit code %d, %q", command, result.ExitCode, result.Stderr.Text)
		}
		w.wantFacts(result.Sandbox, sandbox.ReadOnly, false)
	}
}

// TestWhatIsMissingBesidesTheRunner: a directory or a bash that is not there
// is never the sandbox's fault.
func TestWhatIsMissingBesidesTheRunner(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{})
		file := filepath.Join(w.workspace, "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, workdir := range []string{filepath.Join(w.workspace, "missing"), file} {
			req := w.request(sandbox.ReadOnly, "true")
			req.Workdir = workdir
			_, err := bash.Run(t.Context(), w.executor, req)
			var bad *bash.WorkdirError
			if !errors.As(err, &bad) || errors.Is(err, sandbox.ErrUnavailable) {
				t.Errorf("in %s: %v", workdir, err)
			}
		}
		shell := newWorld(t, runner, bashsandbox.Config{Shell: "/no/such/bash"})
		_, err := shell.try(sandbox.ReadOnly, "true")
		var missing *bash.ShellNotFoundError
		if !errors.As(err, &missing) || errors.Is(err, sandbox.ErrUnavailable) {
			t.Errorf("without bash: %v", err)
		}
	})
}

func TestAnInvalidPolicyIsNotTheSandboxsFault(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{Workdir: "/"})
		for _, policy := range []sandbox.Policy{
			{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: "/"},
			{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: filepath.Join(w.workspace, "nope")},
			{Mode: "everything", WorkspaceRoot: w.workspace},
			{Mode: "", WorkspaceRoot: w.workspace},
		} {
			_, err := bash.Run(t.Context(), w.executor, bash.Request{Command: "touch " + w.beside + "/x", Policy: &policy})
			var invalid *sandbox.InvalidPolicyError
			if !errors.As(err, &invalid) || errors.Is(err, sandbox.ErrUnavailable) {
				t.Errorf("%+v: %v", policy, err)
			}
		}
		w.wantAbsent(filepath.Join(w.workspace, "nope"))
		w.wantAbsent(filepath.Join(w.beside, "x"))
	})
}

// TestOverlappingCallsKeepTheirOwnFacts runs calls of every mode at once, each
// with a workspace of its own.
func TestOverlappingCallsKeepTheirOwnFacts(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{})
		modes := []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite, sandbox.DangerFullAccess}
		slots := make(chan struct{}, 16)
		var group sync.WaitGroup
		for i := range 200 {
			group.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				w.overlapping(i, modes[i%len(modes)])
			})
		}
		group.Wait()
	})
}

// overlapping is one of many calls at once.
func (w *world) overlapping(i int, mode sandbox.Mode) {
	root := filepath.Join(w.workspace, fmt.Sprint(i))
	if err := os.Mkdir(root, 0o700); err != nil {
		w.Error(err)
		return
	}
	result, err := bash.Run(w.Context(), w.executor, bash.Request{
		Command: fmt.Sprintf("echo %d; echo x > x", i),
		Workdir: root,
		Policy:  &sandbox.Policy{Mode: mode, WorkspaceRoot: root},
	})
	denied := mode == sandbox.ReadOnly
	if err != nil || result.Stdout.Text != fmt.Sprintf("%d\n", i) || (result.ExitCode != 0) != denied {
		w.Errorf("%d under %s: %v, %+v", i, mode, err, result)
		return
	}
	if result.Sandbox.Mode != mode || result.Sandbox.Denied != denied || result.Sandbox.RunnerFailed {
		w.Errorf("%d under %s: facts %+v", i, mode, result.Sandbox)
	}
	if _, err := os.Lstat(filepath.Join(root, "x")); (err != nil) != denied {
		w.Errorf("%d under %s: %v", i, mode, err)
	}
}
