package gotool

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	out, err := Cmd{Dir: dir, Env: []string{"GOWORK=off", "GOFLAGS=-mod=mod"}}.Go(t.Context(), "env", "GOFLAGS")
	if err != nil || out != "-mod=mod\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestRunFails(t *testing.T) {
	_, err := Cmd{}.Go(t.Context(), "no-such-command")
	var failed *Error
	if !errors.As(err, &failed) || !strings.Contains(failed.Output, "unknown command") {
		t.Errorf("%v", err)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Errorf("does not unwrap to the exit: %v", err)
	}
	if _, err := (Cmd{}).Run(t.Context(), "no-such-program-anywhere"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestRunStreams(t *testing.T) {
	var b strings.Builder
	out, err := Cmd{Stdout: &b}.Go(t.Context(), "env", "GOOS")
	if err != nil || out != "" || b.String() == "" {
		t.Errorf("%q, %q, %v", out, b.String(), err)
	}
}

func TestEnv(t *testing.T) {
	env, err := Env(t.Context(), "GOOS", "GOARCH")
	if err != nil || env["GOOS"] == "" || env["GOARCH"] == "" {
		t.Errorf("%v, %v", env, err)
	}
}
