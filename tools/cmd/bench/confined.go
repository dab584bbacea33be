package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh/bash"
	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
	"github.com/dsh-go/dsh/tools/internal/benchtable"
)

// way is one way to confine a command. The ways of this system are listed in
// the order of the table.
type way struct {
	name string // of the row for bash-sandbox
	// raw names the row for the runner alone, given the same profile by
	// os/exec; empty for a runner that is no program.
	raw      string
	runner   string
	launcher bool // where a thread could be confined, too
	mode     sandbox.Mode
	// The targets for the ratio to the bare command and to the raw runner;
	// zero where there is none.
	toBare, toRaw float64
}

// confined is a way with all that it takes.
type confined struct {
	way
	provider *sandboxlocal.Provider
	policy   sandbox.Policy
	executor *bashsandbox.Executor
}

func (s *scene) confine(w way) (*confined, error) {
	config := sandboxlocal.Config{Runners: []string{w.runner}}
	if w.launcher {
		config.LandlockLauncher = s.tools.launcher
	}
	provider, err := sandboxlocal.New(config)
	if err != nil {
		return nil, err
	}
	policies, err := sandboxpolicy.New(sandboxpolicy.Config{Mode: w.mode, WorkspaceRoot: s.workspace})
	if err != nil {
		return nil, err
	}
	executor, err := bashsandbox.New(bashsandbox.Config{Workdir: s.workspace}, s.procs, provider, policies)
	return &confined{w, provider, policies.Default(), executor}, err
}

// prove tries a write that must be denied, so that no row is about a command
// that was not confined. The error is a [*sandbox.UnavailableError] where the
// runner does not work here.
func (c *confined) prove(ctx context.Context, s *scene) error {
	forbidden := filepath.Join(s.beside, "written")
	result, err := bash.Run(ctx, c.executor, bash.Request{Command: `: > "$FILE"`, Env: map[string]string{"FILE": forbidden}})
	if err != nil {
		return err
	}
	_, statErr := os.Stat(forbidden)
	if !errors.Is(statErr, fs.ErrNotExist) || !result.Sandbox.Denied || result.Sandbox.Runner != c.runner {
		return fmt.Errorf("%s did not confine: %+v", c.name, *result.Sandbox)
	}
	return nil
}

func (c *confined) start() benchtable.Case { return executorCase(c.name, c.executor) }

// request is what bash-sandbox asks the provider.
func (c *confined) request(s *scene, host sandbox.Host) (sandbox.Request, error) {
	spec, err := c.executor.Resolve(bash.Request{})
	return sandbox.Request{
		Argv:   s.argv(nothing),
		Dir:    s.workspace,
		Env:    spec.Env,
		Policy: c.policy,
		Host:   host,
	}, err
}

// rawStart is the runner alone, with the very arguments, descriptors and
// environment that bash-sandbox gives it.
func (c *confined) rawStart(ctx context.Context, s *scene) (benchtable.Case, error) {
	request, err := c.request(s, sandbox.Host{FirstFD: firstExtraFile})
	if err != nil {
		return benchtable.Case{}, err
	}
	confinement, err := c.provider.Confine(ctx, request)
	if err != nil {
		return benchtable.Case{}, err
	}
	env := subprocess.Environ(os.Environ(), confinement.Env, confinement.Unset, nil)
	return benchtable.Case{Name: c.raw, Run: func(context.Context) error {
		cmd := s.bare(confinement.Argv)
		cmd.Env = env
		return runWith(cmd, confinement.Inputs, confinement.Status != nil)
	}}, nil
}
