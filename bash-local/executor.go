package bashlocal

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

// Executor runs bash commands unconfined. It is safe for concurrent use, holds
// no process of its own, and needs no closing: processes belong to the
// service.
type Executor struct {
	config Config
	procs  subprocess.Service
	shell  atomic.Pointer[string] // absolute path, once found
}

var _ bash.Executor = (*Executor)(nil)

// New returns an executor over procs. Errors are [*ConfigError].
func New(config Config, procs subprocess.Service) (*Executor, error) {
	if procs == nil {
		return nil, &ConfigError{"service", errNoService}
	}
	completed, err := config.completed()
	if err != nil {
		return nil, err
	}
	return &Executor{config: completed, procs: procs}, nil
}

// Resolve implements [bash.Executor]. A request without a policy gets one of
// full access, for that is what an executor that confines nothing gives.
func (e *Executor) Resolve(req bash.Request) (bash.Spec, error) {
	if err := checkRequest(req); err != nil {
		return bash.Spec{}, err
	}
	policy := sandbox.Policy{Mode: sandbox.DangerFullAccess}
	if req.Policy != nil {
		policy = *req.Policy
	}
	return bash.Spec{
		Command:        req.Command,
		Workdir:        e.workdir(req.Workdir),
		Timeout:        e.config.timeout(req.Timeout),
		StdoutMaxBytes: orDefault(req.StdoutMaxBytes, e.config.MaxBytes),
		StderrMaxBytes: e.config.MaxBytes,
		Stdin:          req.Stdin,
		Env:            e.environment(req.Env),
		Managed:        maps.Clone(req.Managed),
		Policy:         policy,
		Observe:        req.Observe,
	}, nil
}

// checkRequest finds what no command can be run with, before anything is
// looked up or started.
func checkRequest(req bash.Request) error {
	switch {
	case strings.ContainsRune(req.Command, 0):
		return &bash.InvalidRequestError{Field: "Command", Err: errNUL}
	case strings.ContainsRune(req.Workdir, 0):
		return &bash.InvalidRequestError{Field: "Workdir", Err: errNUL}
	case req.StdoutMaxBytes < 0:
		return &bash.InvalidRequestError{Field: "StdoutMaxBytes", Err: errNegative}
	}
	for name, value := range req.Env {
		if err := checkEntry(name, value); err != nil {
			return &bash.InvalidRequestError{Field: "Env", Err: err}
		}
	}
	spec := subprocess.Spec{Argv: []string{"/"}, Dir: "/", Managed: req.Managed}
	if err := spec.Validate(); err != nil {
		return &bash.InvalidRequestError{Field: "Managed", Err: err}
	}
	return nil
}

// workdir returns the absolute directory that name denotes. Links are
// resolved before "..", as chdir would; a name that cannot be resolved is left
// for the start to report.
func (e *Executor) workdir(name string) string {
	if name == "" {
		return e.config.Workdir
	}
	if !filepath.IsAbs(name) {
		name = e.config.Workdir + string(filepath.Separator) + name
	}
	if canonical, err := sandbox.Canonical(name); err == nil {
		return canonical
	}
	return name
}

func (e *Executor) environment(requested map[string]string) map[string]string {
	env := maps.Clone(terminalEnv)
	maps.Copy(env, e.config.Env)
	maps.Copy(env, requested)
	return env
}

// Run implements [bash.Executor].
func (e *Executor) Run(ctx context.Context, spec bash.Spec) (bash.Result, error) {
	launch, err := e.unconfined(ctx, spec)
	if err != nil {
		return bash.Result{}, err
	}
	return e.RunLaunch(ctx, spec, launch)
}

// Start implements [bash.Executor].
func (e *Executor) Start(ctx context.Context, spec bash.Spec) (bash.Process, error) {
	launch, err := e.unconfined(ctx, spec)
	if err != nil {
		return nil, err
	}
	return e.StartLaunch(ctx, spec, launch)
}

func (e *Executor) unconfined(ctx context.Context, spec bash.Spec) (Launch, error) {
	if spec.Policy.Mode.Confines() {
		return Launch{}, bash.ErrCannotConfine
	}
	return e.Prepare(ctx, spec)
}

// Prepare returns the launch that runs spec unconfined, whatever its policy
// says: bash with its absolute path, and the entries that are set for it. It
// looks bash up first, so that a missing bash is a [*bash.ShellNotFoundError]
// before anything confines.
func (e *Executor) Prepare(ctx context.Context, spec bash.Spec) (Launch, error) {
	shell, err := e.lookShell(ctx)
	if err != nil {
		return Launch{}, err
	}
	argv := []string{shell, "-c"}
	if strings.HasPrefix(spec.Command, "-") || strings.HasPrefix(spec.Command, "+") {
		argv = append(argv, "--") // else bash takes the command for options
	}
	return Launch{Argv: append(argv, spec.Command), Env: spec.Env}, nil
}

// lookShell returns bash's absolute path. It is looked up in the service's own
// PATH, never in that of a command, and only once.
func (e *Executor) lookShell(ctx context.Context) (string, error) {
	if shell := e.shell.Load(); shell != nil {
		return *shell, nil
	}
	shell, err := e.procs.LookPath(ctx, e.config.Shell, nil)
	if err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", &bash.ShellNotFoundError{Shell: e.config.Shell, Err: err}
	}
	e.shell.Store(&shell)
	e.config.Logger.Debug("found the shell", "path", shell)
	return shell, nil
}
