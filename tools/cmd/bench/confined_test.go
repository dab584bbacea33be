//go:build linux || darwin

package main

import (
	"context"
	"strings"
	"testing"

	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
)

// idleProvider claims to confine and does nothing.
type idleProvider struct{}

func (idleProvider) Confine(_ context.Context, req sandbox.Request) (*sandbox.Confinement, error) {
	return &sandbox.Confinement{
		Argv:   req.Argv,
		Env:    req.Env,
		Report: sandbox.Report{Runner: sandboxlocal.Landlock, Enforcement: sandbox.Full},
	}, nil
}

// A sandbox that is fast because it confines nothing must not get a row.
func TestWhatDoesNotConfineIsNotTimed(t *testing.T) {
	elsewhere(t)
	s, err := newScene(t.Context(), options{scale: tiny, bin: "."})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	policies, err := sandboxpolicy.New(sandboxpolicy.Config{WorkspaceRoot: s.workspace})
	if err != nil {
		t.Fatal(err)
	}
	executor, err := bashsandbox.New(bashsandbox.Config{Workdir: s.workspace}, s.procs, idleProvider{}, policies)
	if err != nil {
		t.Fatal(err)
	}
	c := &confined{way: way{name: "idle", runner: sandboxlocal.Landlock}, executor: executor}
	if err := c.prove(t.Context(), s); err == nil || !strings.Contains(err.Error(), "did not confine") {
		t.Errorf("error %v", err)
	}
}
