//go:build linux || darwin

package subprocesslocal

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
)

// unendable is how long Close waits, beyond the longest grace, for processes
// that were killed.
const unendable = 5 * time.Second

// engine is what a [Service] does where processes can be started. The zero
// value is ready to use.
type engine struct {
	starter    starter
	terminator terminator
	spills     spillStore
	orphans    orphans

	starting sync.WaitGroup // starts that were admitted

	mu       sync.Mutex
	closed   chan struct{} // not nil once Close was called; closed after it
	closeErr error
	live     map[*process]struct{} // all that may have members
	grace    time.Duration         // the longest of any start
	pruned   time.Time             // when live was last looked through
}

func (e *engine) start(ctx context.Context, spec subprocess.Spec, config Config) (subprocess.Handle, error) {
	if !e.admit(spec.Grace) {
		return nil, startError(spec, subprocess.StageExec, subprocess.ErrClosed)
	}
	defer e.starting.Done()
	w, err := wire(spec)
	if err != nil {
		return nil, startError(spec, subprocess.StageExec, err)
	}
	cookie := newCookieID()
	env := subprocess.Environ(os.Environ(), spec.Env, spec.Unset, spec.Managed)
	env = append(env, cookieEntry(e.terminator.service, cookie))
	defer e.orphans.hold()()
	leader, err := e.spawn(spec, env, w.child)
	if err != nil {
		w.close()
		return nil, err
	}
	w.started()
	e.orphans.started(e, leader.pid)
	config.logger().Debug("started", "program", spec.Argv[0], "dir", spec.Dir, "pid", leader.pid)
	return e.follow(ctx, spec, w, leader, cookie, config), nil
}

// admit lets a start in, unless the service is closed. A start that was let in
// is in live before Close looks.
func (e *engine) admit(grace time.Duration) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed != nil {
		return false
	}
	if e.live == nil {
		e.live = map[*process]struct{}{}
		e.terminator.service = newCookieID()
		e.terminator.signalled = e.orphans.note
	}
	e.grace = max(e.grace, grace)
	e.starting.Add(1)
	e.prune()
	return true
}

// prune forgets processes whose leader has ended and whose group is empty by
// now, at most once a second. The caller holds mu.
func (e *engine) prune() {
	if time.Since(e.pruned) < time.Second {
		return
	}
	e.pruned = time.Now()
	for p := range e.live {
		select {
		case <-p.done:
			if p.tree.leader.retire() {
				delete(e.live, p)
				p.tree.leader.release()
			}
		default:
		}
	}
}

// follow makes the handle of a process that was started.
func (e *engine) follow(ctx context.Context, spec subprocess.Spec, w *wiring, leader *leader, cookie string, config Config) *process {
	p := &process{engine: e, grace: spec.Grace, channel: spec.Status, done: make(chan struct{}), log: config.logger()}
	p.tree = tree{cookie: cookie, leader: leader, gone: make(chan struct{}), onGone: p.treeGone}
	p.attach(spec, w, func(outside []string) (*spillFile, error) { return e.spills.create(config, outside) })
	e.mu.Lock()
	e.live[p] = struct{}{}
	e.mu.Unlock()
	p.run(ctx, spec, w)
	return p
}

// forget drops a process of which nothing is left that could be signalled.
func (e *engine) forget(p *process) {
	p.tree.leader.release()
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.live, p)
}

// leaders are the processes that are children of this program and not yet
// reaped.
func (e *engine) leaders() map[int]bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	leaders := map[int]bool{}
	for p := range e.live {
		if !p.tree.leader.isReaped() {
			leaders[p.PID()] = true
		}
	}
	return leaders
}

func (e *engine) close(ctx context.Context, config Config) error {
	if ctx.Err() != nil {
		e.terminator.hurry()
	}
	stop := context.AfterFunc(ctx, e.terminator.hurry)
	defer stop()
	closed, first := e.refuse()
	if first {
		e.closeErr = e.shutDown(config)
		close(closed)
	}
	<-closed
	return e.closeErr
}

// refuse makes later starts fail.
func (e *engine) refuse() (closed chan struct{}, first bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed != nil {
		return e.closed, false
	}
	e.closed = make(chan struct{})
	return e.closed, true
}

func (e *engine) shutDown(config Config) error {
	e.starting.Wait()
	err := e.endAll()
	e.starter.stop()
	e.orphans.stop()
	return errors.Join(err, e.spills.close(config.KeepSpills))
}

// endAll ends every tree at once, together with what left the group of a
// leader that is long gone.
func (e *engine) endAll() error {
	e.mu.Lock()
	live, grace, used := e.live, e.grace, e.live != nil
	processes := make([]*process, 0, len(live))
	for p := range live {
		processes = append(processes, p)
	}
	e.mu.Unlock()
	if !used {
		return nil
	}
	for _, p := range processes {
		p.Terminate()
	}
	strays := &tree{gone: make(chan struct{})}
	e.terminator.end(strays, grace, 0)
	return awaitAll(processes, strays, grace+unendable)
}

func awaitAll(processes []*process, strays *tree, limit time.Duration) error {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	expired := false
	ended := func(c <-chan struct{}) bool {
		if !expired {
			select {
			case <-c:
				return true
			case <-timeout.C:
				expired = true
			}
		}
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	var survivors []int
	for _, p := range processes {
		if !ended(p.tree.gone) || !ended(p.done) {
			survivors = append(survivors, p.PID())
		}
	}
	if !ended(strays.gone) || len(survivors) > 0 {
		return &SurvivorsError{PIDs: survivors}
	}
	return nil
}
