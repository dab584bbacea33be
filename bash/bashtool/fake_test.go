package bashtool

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
)

// executor is a fake that confines and remembers what it ran.
type executor struct {
	mode   sandbox.Mode
	result bash.Result
	err    error

	mu  sync.Mutex
	ran []bash.Spec
}

func (e *executor) SandboxMode() sandbox.Mode { return e.mode }

func (e *executor) Resolve(req bash.Request) (bash.Spec, error) {
	policy := sandbox.Policy{Mode: e.mode, WorkspaceRoot: "/default"}
	if req.Policy != nil {
		policy = *req.Policy
	}
	return bash.Spec{Command: req.Command, Workdir: req.Workdir, Timeout: req.Timeout, Managed: req.Managed, Policy: policy, Observe: req.Observe}, nil
}

func (e *executor) record(spec bash.Spec) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ran = append(e.ran, spec)
}

func (e *executor) Run(_ context.Context, spec bash.Spec) (bash.Result, error) {
	e.record(spec)
	return e.result, e.err
}

func (e *executor) Start(ctx context.Context, spec bash.Spec) (bash.Process, error) {
	if e.err != nil {
		return nil, e.err
	}
	e.record(spec)
	p := &process{done: make(chan struct{})}
	context.AfterFunc(ctx, func() { p.Terminate() })
	return p, nil
}

// process is a fake that runs until it is terminated.
type process struct {
	mu    sync.Mutex
	delta bash.Delta
	end   *bash.State
	done  chan struct{}
}

func (p *process) Done() <-chan struct{} { return p.done }

func (p *process) State() bash.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end == nil {
		return bash.State{Status: bash.StatusRunning}
	}
	return *p.end
}

func (p *process) ReadOutput() bash.Delta {
	p.mu.Lock()
	defer p.mu.Unlock()
	delta := p.delta
	p.delta = bash.Delta{}
	return delta
}

func (p *process) Terminate() bool {
	return p.finish(bash.State{Status: bash.StatusKilled, ExitCode: -1, Signal: "SIGTERM"})
}

func (p *process) finish(state bash.State) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end != nil {
		return false
	}
	p.end = &state
	close(p.done)
	return true
}

// plain is an executor that confines nothing.
type plain struct{ bash.Executor }

// resolver is what policies a fake deployment has.
type resolver struct{ mode sandbox.Mode }

func (r resolver) Resolve(req sandbox.PolicyRequest) (sandbox.Policy, error) {
	policy := sandbox.Policy{Mode: r.mode, WorkspaceRoot: req.Dir, SessionID: req.SessionID}
	if req.Mode != "" {
		policy.Mode = req.Mode
	}
	return policy, nil
}

// approver answers and remembers what it was asked.
type approver struct {
	decision sandbox.Decision
	asked    []sandbox.EscalationRequest
}

func (a *approver) Decide(_ context.Context, req sandbox.EscalationRequest) (sandbox.Decision, error) {
	a.asked = append(a.asked, req)
	return a.decision, nil
}

func newTool(t *testing.T, config Config) *Tool {
	t.Helper()
	tool, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func arg(text string) json.RawMessage { return json.RawMessage(text) }
