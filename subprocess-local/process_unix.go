//go:build linux || darwin

package subprocesslocal

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

// process is one started process. It implements [subprocess.Handle].
type process struct {
	engine *engine
	tree   tree
	grace  time.Duration
	log    *slog.Logger

	pipes          subprocess.Pipes
	stdout, stderr *collector
	observing      sync.Mutex // one observer at a time
	channel        *sandbox.Status
	report         *collector
	reading        sync.WaitGroup // the collectors
	// held are our ends of pipes into the process: they are closed when it has
	// ended, for nobody else will.
	held []io.Closer

	unbind func() bool // detaches from Start's context
	done   chan struct{}

	mu         sync.Mutex
	begun      bool // Terminate was called
	terminated bool // and the leader had not ended by itself before
	outcome    subprocess.Outcome
	err        error
}

var _ subprocess.Handle = (*process)(nil)

// PID implements [subprocess.Handle].
func (p *process) PID() int { return p.tree.leader.pid }

// Pipes implements [subprocess.Handle].
func (p *process) Pipes() subprocess.Pipes { return p.pipes }

// Stdout implements [subprocess.Handle].
func (p *process) Stdout() subprocess.Reader { return readerOf(p.stdout) }

// Stderr implements [subprocess.Handle].
func (p *process) Stderr() subprocess.Reader { return readerOf(p.stderr) }

// readerOf keeps a nil collector from becoming a reader that is not nil.
func readerOf(c *collector) subprocess.Reader {
	if c == nil {
		return nil
	}
	return c
}

// StatusReport implements [subprocess.Handle].
func (p *process) StatusReport() []byte {
	if p.report == nil {
		return nil
	}
	return p.report.raw()
}

// Done implements [subprocess.Handle].
func (p *process) Done() <-chan struct{} { return p.done }

// Outcome implements [subprocess.Handle].
func (p *process) Outcome() (subprocess.Outcome, error) {
	<-p.done
	return p.outcome, p.err
}

// supervise follows the process from its start to its outcome. While the
// output drains, the leader stays unreaped, so that its group can be
// signalled.
func (p *process) supervise() {
	end, err := p.tree.leader.wait()
	p.letGo(time.Now().Add(p.grace))
	p.mu.Lock()
	p.outcome, p.err = end.outcome(p.terminated), err
	p.tree.leader.acknowledge()
	p.mu.Unlock()

	p.engine.terminator.nudge(&p.tree)
	p.reading.Wait()
	for _, end := range p.held {
		end.Close()
	}
	p.settle()
}

// letGo bounds how long the outcome waits for descendants that hold a pipe.
func (p *process) letGo(deadline time.Time) {
	p.stdout.until(deadline)
	p.stderr.until(deadline)
	p.report.until(deadline)
}

// settle publishes the outcome. Unless the tree is being ended, the leader is
// reaped here; what it left behind stays the service's.
func (p *process) settle() {
	p.mu.Lock()
	p.retire()
	p.mu.Unlock()
	p.unbind()
	p.log.Debug("ended", "pid", p.PID(), "exit", p.outcome.ExitCode, "signal", p.outcome.Signal)
	close(p.done)
}

// retire has the service forget the process as far as nothing is left of it.
// If the tree is being ended, that is for the terminator to do, which still
// needs the leader. The caller holds mu.
func (p *process) retire() {
	if !p.begun && p.tree.leader.retire() {
		p.engine.forget(p)
	}
}

// Terminate implements [subprocess.Handle]. It also ends what a leader left
// behind that has already ended, and then returns false.
func (p *process) Terminate() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun {
		return false
	}
	p.begun = true
	p.terminated = !p.tree.leader.exited()
	p.engine.terminator.end(&p.tree, p.grace)
	return p.terminated
}

// reportedLeader returns the function that says which process a runner named
// for the polite signal, or nil if the runner names none.
func (p *process) reportedLeader() func() int {
	if p.channel == nil || p.channel.Leader == nil {
		return nil
	}
	return func() int { return p.channel.Leader(p.report.raw()) }
}

// WaitTree implements [subprocess.Handle].
func (p *process) WaitTree(ctx context.Context) error {
	select {
	case <-p.done:
	case <-p.tree.gone:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer p.engine.terminator.watch(&p.tree)()
	if !happens(ctx, p.tree.gone) {
		return ctx.Err()
	}
	return nil
}

// treeGone is called once nothing of the tree is left. What still holds a pipe
// is then beyond reach and not waited for.
func (p *process) treeGone() {
	p.engine.forget(p)
	p.letGo(time.Now())
}
