package bashlocal

import (
	"context"
	"strings"
	"sync"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/bash/subprocess"
)

// StartLaunch starts launch in the background, as [bash.Executor.Start] does.
// Errors are those of RunLaunch.
func (e *Executor) StartLaunch(ctx context.Context, spec bash.Spec, launch Launch) (bash.Process, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	handle, err := e.start(ctx, spec, launch)
	if err != nil {
		return nil, err
	}
	p := &process{handle: handle}
	p.settled = sync.OnceValue(func() bash.State { return e.settle(spec, launch, handle) })
	return p, nil
}

// settle says how a command ended. It is called after its end.
func (e *Executor) settle(spec bash.Spec, launch Launch, handle subprocess.Handle) bash.State {
	outcome, err := handle.Outcome()
	if err != nil {
		err = e.startError(spec, err)
	}
	state := bash.State{
		Status:   bash.StatusCompleted,
		ExitCode: outcome.ExitCode,
		Signal:   outcome.Signal,
		Err:      err,
	}
	if outcome.Terminated {
		state.Status = bash.StatusKilled
	}
	if launch.Settle != nil {
		state.Sandbox = launch.Settle(Settlement{Outcome: outcome, Err: err, Report: handle.StatusReport()})
	}
	e.config.Logger.Debug("ended", "pid", handle.PID(), "exit", state.ExitCode, "signal", state.Signal)
	return state
}

// process is a background command. It costs no goroutine beyond the service's
// own: the facts about its end are computed once, by the first who asks after
// it, so that nobody can see the end without them.
type process struct {
	handle  subprocess.Handle
	settled func() bash.State

	mu       sync.Mutex // guards the offsets up to which output was read
	out, err int64
}

// Done implements [bash.Process].
func (p *process) Done() <-chan struct{} { return p.handle.Done() }

// Terminate implements [bash.Process].
func (p *process) Terminate() bool { return p.handle.Terminate() }

// State implements [bash.Process].
func (p *process) State() bash.State {
	select {
	case <-p.handle.Done():
		return p.settled()
	default:
		return bash.State{Status: bash.StatusRunning}
	}
}

// ReadOutput implements [bash.Process].
func (p *process) ReadOutput() bash.Delta {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.handle.Stdout().ReadFrom(p.out)
	err := p.handle.Stderr().ReadFrom(p.err)
	p.out, p.err = out.Next, err.Next
	return delta(out, err)
}

func delta(out, err subprocess.Chunk) bash.Delta {
	d := bash.Delta{Text: out.Text, Lossy: out.Lossy || err.Lossy}
	if err.Text != "" {
		if d.Text != "" && !strings.HasSuffix(d.Text, "\n") {
			d.Text += "\n"
		}
		d.Text += "[stderr]\n" + err.Text
	}
	for _, chunk := range []subprocess.Chunk{out, err} {
		if chunk.Lossy && chunk.SpillPath != "" {
			d.SpillPaths = append(d.SpillPaths, chunk.SpillPath)
		}
	}
	return d
}
