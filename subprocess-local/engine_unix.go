//go:build linux || darwin

package subprocesslocal

import (
	"context"
	"sync"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
)

// engine is what a [Service] does where processes can be started. The zero
// value is ready to use.
type engine struct {
	environment environment
	starter     starter
	terminator  terminator
	spills      spillStore
	orphans     orphans

	starting sync.WaitGroup // starts that were admitted

	mu       sync.Mutex
	closed   chan struct{} // not nil once Close was called; closed after it
	closeErr error
	live     map[*process]struct{} // all that may have members
	grace    time.Duration         // the longest of any start
	pruned   time.Time             // when live was last looked through
}

// launch is one start on its way.
type launch struct {
	spec   subprocess.Spec
	config Config
	cookie string // the start's id
	wiring *wiring
	env    []string // once it is composed
	leader *leader  // once it runs
}

func (e *engine) start(ctx context.Context, spec subprocess.Spec, config Config) (subprocess.Handle, error) {
	if !e.admit(spec.Grace, config.Subreaper && spec.Status == nil) {
		return nil, startError(spec, subprocess.StageExec, subprocess.ErrClosed)
	}
	defer e.starting.Done()
	e.prune()
	l := launch{spec: spec, config: config, cookie: newCookieID()}
	var err error
	if l.wiring, err = wire(spec); err != nil {
		return nil, startError(spec, subprocess.StageExec, err)
	}
	defer e.orphans.hold()()
	if l.leader, err = e.spawn(l); err != nil {
		l.wiring.close()
		return nil, err
	}
	l.wiring.started()
	e.orphans.started(e, l.leader.pid)
	config.logger().Debug("started", "program", spec.Argv[0], "dir", spec.Dir, "pid", l.leader.pid)
	return e.follow(ctx, l), nil
}

// admit lets a start in, unless the service is closed. A start that was let in
// is in live before Close looks.
func (e *engine) admit(grace time.Duration, subreaper bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed != nil {
		return false
	}
	if e.live == nil {
		e.live = map[*process]struct{}{}
		e.terminator.service = newCookieID()
		e.terminator.signalled = e.orphans.note
		if subreaper {
			e.orphans.adoptAll()
		}
	}
	e.grace = max(e.grace, grace)
	e.starting.Add(1)
	return true
}

// prune forgets, at most once a second, processes whose leader has ended and
// whose group is empty by now.
func (e *engine) prune() {
	for _, p := range e.ended() {
		p.mu.Lock()
		p.retire()
		p.mu.Unlock()
	}
}

// ended are the processes that may be forgotten, if it is time to look.
func (e *engine) ended() (ended []*process) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if time.Since(e.pruned) < time.Second {
		return nil
	}
	e.pruned = time.Now()
	for p := range e.live {
		select {
		case <-p.done:
			ended = append(ended, p)
		default:
		}
	}
	return ended
}

// follow makes the handle of a process that was started.
func (e *engine) follow(ctx context.Context, l launch) *process {
	p := &process{
		engine:  e,
		grace:   l.spec.Grace,
		log:     l.config.logger(),
		channel: l.spec.Status,
		done:    make(chan struct{}),
	}
	p.tree = tree{cookie: l.cookie, leader: l.leader, gone: make(chan struct{}), onGone: p.treeGone}
	p.attach(l)
	p.tree.reported = p.reportedLeader()
	e.mu.Lock()
	e.live[p] = struct{}{}
	e.mu.Unlock()
	p.run(ctx, l)
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
