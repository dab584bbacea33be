package bashsandbox_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dsh-go/dsh/bash"
	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
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

// TestAMissingBashIsNobodysFault, least of all the sandbox's.
func TestAMissingBashIsNobodysFault(t *testing.T) {
	forEachSetup(t, func(t *testing.T, s setup) {
		w := newWorld(t, s.config, bashsandbox.Config{Shell: "/no/such/bash"})
		_, err := w.try(sandbox.ReadOnly, "true")
		var missing *bash.ShellNotFoundError
		if !errors.As(err, &missing) || errors.Is(err, sandbox.ErrUnavailable) {
			t.Errorf("without bash: %v", err)
		}
	})
}

// TestBwrapIsLostAfterItWasSelected: a copy of bwrap is used once, and then
// something happens to it.
func TestBwrapIsLostAfterItWasSelected(t *testing.T) {
	bwrap, err := exec.LookPath(sandboxlocal.Bwrap)
	if err != nil {
		t.Skipf("bwrap is not usable here: %v", err)
	}
	program, err := os.ReadFile(bwrap)
	if err != nil {
		t.Fatal(err)
	}
	for name, lose := range map[string]func(path string) error{
		"deleted":        os.Remove,
		"not executable": func(path string) error { return os.Chmod(path, 0o600) },
		"replaced by a program that fails like it": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("#!/bin/sh\necho 'bwrap: no' >&2\nexit 1\n"), 0o700))
		},
		"replaced by what is no program": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("#!/no/such/interpreter\n"), 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(outsideTemp(t), sandboxlocal.Bwrap)
			if err := os.WriteFile(path, program, 0o700); err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, only(path, ""), bashsandbox.Config{})
			if _, err := w.try(sandbox.ReadOnly, "true"); err != nil {
				t.Skipf("a copy of bwrap is not usable here: %v", err)
			}
			if err := lose(path); err != nil {
				t.Fatal(err)
			}
			_, err := w.try(sandbox.WorkspaceWrite, "touch ran")
			if wantUnavailable(t, err).Detail == "" {
				t.Errorf("no detail in %v", err)
			}
			w.wantLostInBackground("touch ran")
			w.wantAbsent(filepath.Join(w.workspace, "ran"))
		})
	}
}

// wantLostInBackground starts a command whose runner is lost: that is an error
// at once, or a fact once the process is settled.
func (w *world) wantLostInBackground(command string) {
	w.Helper()
	process, err := bash.Start(w.Context(), w.executor, w.request(sandbox.WorkspaceWrite, command))
	if err != nil {
		wantUnavailable(w.T, err)
		return
	}
	<-process.Done()
	if info := process.State().Sandbox; info == nil || !info.RunnerFailed || info.Denied {
		w.Errorf("in the background: %+v", info)
	}
}
