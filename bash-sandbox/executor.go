package bashsandbox

import (
	"context"
	"errors"

	"github.com/dsh-go/dsh/bash"
	bashlocal "github.com/dsh-go/dsh/bash-local"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

// Config is bash-local's.
type Config = bashlocal.Config

// Policies says which policy a call has that names none.
type Policies interface {
	// Default is called by many goroutines at once.
	Default() sandbox.Policy
}

// Executor runs bash commands confined. It is safe for concurrent use, keeps
// nothing about a call once it is settled, and needs no closing.
type Executor struct {
	local    *bashlocal.Executor
	host     sandbox.Host
	provider sandbox.Provider
	policies Policies
}

var (
	_ bash.Executor  = (*Executor)(nil)
	_ bash.Confining = (*Executor)(nil)
)

var (
	errNoProvider = errors.New("a sandbox provider is required")
	errNoPolicies = errors.New("policies are required")
)

// New returns an executor that starts processes with procs, has them confined
// by provider, and takes its default policy from policies. Errors are
// [*bashlocal.ConfigError].
func New(config Config, procs subprocess.Service, provider sandbox.Provider, policies Policies) (*Executor, error) {
	if provider == nil {
		return nil, &bashlocal.ConfigError{Field: "provider", Err: errNoProvider}
	}
	if policies == nil {
		return nil, &bashlocal.ConfigError{Field: "policies", Err: errNoPolicies}
	}
	local, err := bashlocal.New(config, procs)
	if err != nil {
		return nil, err
	}
	return &Executor{local: local, host: procs.Host(), provider: provider, policies: policies}, nil
}

// SandboxMode implements [bash.Confining].
func (e *Executor) SandboxMode() sandbox.Mode { return e.policies.Default().Mode }

// Resolve implements [bash.Executor]. A request without a policy gets the
// default one.
func (e *Executor) Resolve(req bash.Request) (bash.Spec, error) {
	if req.Policy == nil {
		policy := e.policies.Default()
		req.Policy = &policy
	}
	return e.local.Resolve(req)
}

// Run implements [bash.Executor]. A runner that failed is a
// [*sandbox.UnavailableError]; the result beside it holds what was collected.
func (e *Executor) Run(ctx context.Context, spec bash.Spec) (bash.Result, error) {
	if !spec.Policy.Mode.Confines() {
		result, err := e.local.Run(ctx, spec)
		result.Sandbox = &bash.SandboxInfo{Mode: spec.Policy.Mode}
		return result, err
	}
	call, err := e.confine(ctx, spec)
	if err != nil {
		return bash.Result{}, err
	}
	result, err := e.local.RunLaunch(ctx, spec, call.launch())
	return call.concluded(ctx, result, err)
}

// Start implements [bash.Executor]. A runner whose failure is known at once is
// a [*sandbox.UnavailableError]; one that fails later is RunnerFailed in the
// process's state.
func (e *Executor) Start(ctx context.Context, spec bash.Spec) (bash.Process, error) {
	if !spec.Policy.Mode.Confines() {
		return e.local.Start(ctx, spec)
	}
	call, err := e.confine(ctx, spec)
	if err != nil {
		return nil, err
	}
	process, err := e.local.StartLaunch(ctx, spec, call.launch())
	if err != nil {
		return nil, call.blamed(ctx, err)
	}
	return process, nil
}
