package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh/bash"
	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
	"github.com/dsh-go/dsh/tools/internal/compose"
)

// examine tries one runner under both confining modes, with the settings of
// config.
func examine(ctx context.Context, runner string, config sandboxlocal.Config) examination {
	ctx, cancel := context.WithTimeoutCause(ctx, doctorTimeout, fmt.Errorf("no answer within %v", doctorTimeout))
	defer cancel()
	found := examination{Runner: runner, Modes: []modeFindings{}}
	bench, err := newBench(compose.Only(config, runner))
	if err != nil {
		return found.unusable(err)
	}
	defer bench.close(ctx)
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
		findings, err := bench.try(ctx, mode)
		if err != nil {
			return found.unusable(err)
		}
		found.Modes = append(found.Modes, findings)
	}
	found.Usable = true
	return found
}

func (e examination) unusable(err error) examination {
	reason := reasonOf(err)
	e.Reason, e.Modes = &reason, []modeFindings{}
	return e
}

// reasonOf leaves out of an unavailable error what concerns a command that was
// to be run.
func reasonOf(err error) string {
	var unavailable *sandbox.UnavailableError
	switch {
	case !errors.As(err, &unavailable):
		return err.Error()
	case unavailable.Detail != "":
		return unavailable.Detail
	case len(unavailable.Reasons) == 1:
		return unavailable.Reasons[0].Reason
	default:
		return err.Error()
	}
}

// bench is where a runner is tried: a workspace and a directory beside it.
type bench struct {
	dir       string
	workspace string
	beside    string
	procs     *subprocesslocal.Service
	executor  *bashsandbox.Executor
}

// newBench makes the directories outside of /tmp, which commands may write to.
func newBench(config sandboxlocal.Config) (*bench, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("no place to try it in: %w", err)
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, fmt.Errorf("no place to try it in: %w", err)
	}
	dir, err := os.MkdirTemp(cache, "dsh-doctor-")
	if err != nil {
		return nil, fmt.Errorf("no place to try it in: %w", err)
	}
	b := &bench{dir: dir, procs: &subprocesslocal.Service{}}
	if err := b.furnish(config); err != nil {
		b.close(context.Background())
		return nil, err
	}
	return b, nil
}

func (b *bench) furnish(config sandboxlocal.Config) error {
	for name, field := range map[string]*string{"workspace": &b.workspace, "beside": &b.beside} {
		*field = filepath.Join(b.dir, name)
		if err := os.Mkdir(*field, 0o700); err != nil {
			return err
		}
	}
	policies, err := sandboxpolicy.New(sandboxpolicy.Config{WorkspaceRoot: b.workspace})
	if err != nil {
		return err
	}
	provider, err := sandboxlocal.New(config)
	if err != nil {
		return err
	}
	b.workspace = policies.Default().WorkspaceRoot
	b.executor, err = bashsandbox.New(bashsandbox.Config{Workdir: b.workspace}, b.procs, provider, policies)
	return err
}

func (b *bench) close(ctx context.Context) {
	_ = b.procs.Close(ctx)
	_ = os.RemoveAll(b.dir)
}

// try has the runner confine one write that mode allows and one that it
// denies, and looks at the host afterwards.
func (b *bench) try(ctx context.Context, mode sandbox.Mode) (modeFindings, error) {
	allowed, denied := "/dev/null", filepath.Join(b.workspace, "denied")
	if mode == sandbox.WorkspaceWrite {
		allowed, denied = filepath.Join(b.workspace, "allowed"), filepath.Join(b.beside, "denied")
	}
	result, err := b.write(ctx, mode, allowed)
	if err != nil {
		return modeFindings{}, err
	}
	if result.ExitCode != 0 || !exists(allowed) {
		return modeFindings{}, fmt.Errorf("under %s a write that is allowed failed: %s", mode, result.Stderr.Text)
	}
	result, err = b.write(ctx, mode, denied)
	if err != nil {
		return modeFindings{}, err
	}
	if exists(denied) {
		return modeFindings{}, fmt.Errorf("under %s a write that is forbidden went through", mode)
	}
	if !result.Sandbox.Denied {
		return modeFindings{}, fmt.Errorf("under %s a write that was refused was not recognised as denied: %s", mode, result.Stderr.Text)
	}
	info := result.Sandbox
	return modeFindings{Mode: mode, Enforcement: info.Enforcement, Gaps: gapObjects(info.Gaps)}, nil
}

func (b *bench) write(ctx context.Context, mode sandbox.Mode, path string) (bash.Result, error) {
	result, err := bash.Run(ctx, b.executor, bash.Request{
		Command: "echo canary > " + shellQuote(path),
		Policy:  &sandbox.Policy{Mode: mode, WorkspaceRoot: b.workspace},
	})
	if err == nil && result.Aborted {
		err = context.Cause(ctx)
	}
	return result, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
