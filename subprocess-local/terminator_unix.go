//go:build linux || darwin

package subprocesslocal

import (
	"sync"
	"time"
)

const (
	shortestPause = time.Millisecond
	longestPause  = time.Second
	// longestAsking is the longest pause while something was asked to end.
	longestAsking = 100 * time.Millisecond
	// longestHeld is the same while the polite signal waits for a runner.
	longestHeld = 5 * time.Millisecond
)

// terminator ends trees, and finds out that they are gone. All of them share
// one goroutine, which is there only while there are any, and one pass over
// the process table at a time. The zero value is ready but for its service.
type terminator struct {
	service string // the id in the cookies
	// signalled is told of every process that got a signal of its own.
	signalled func(pid int)

	mu      sync.Mutex
	trees   map[*tree]struct{}
	hurried bool // everything is killed at once
	wake    chan struct{}
}

// end begins to end a tree: politely, and by force after the grace.
func (t *terminator) end(tr *tree, grace time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tr.over {
		return
	}
	if grace == 0 || t.hurried {
		t.force(tr)
		return
	}
	tr.wanted = asking
	if tr.leader != nil {
		tr.ask()
	}
	tr.patience = time.AfterFunc(grace, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.force(tr)
	})
	t.add(tr)
}

// force kills what is left of a tree. The caller holds mu.
func (t *terminator) force(tr *tree) {
	if tr.over {
		return
	}
	tr.wanted = killing
	tr.kill()
	t.add(tr)
}

// watch has the end of a tree noticed, until the function returned is called.
func (t *terminator) watch(tr *tree) (unwatch func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tr.over {
		return func() {}
	}
	tr.watchers++
	t.add(tr)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		tr.watchers--
		t.poke()
	}
}

// hurry kills everything that is being ended or will be.
func (t *terminator) hurry() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hurried = true
	for tr := range t.trees {
		if tr.wanted == asking {
			t.force(tr)
		}
	}
}

// nudge says that the leader of a tree has ended.
func (t *terminator) nudge(tr *tree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.trees[tr]; ok {
		t.poke()
	}
}

// add hands a tree to the goroutine. The caller holds mu.
func (t *terminator) add(tr *tree) {
	if t.trees == nil {
		t.trees = map[*tree]struct{}{}
		t.wake = make(chan struct{}, 1)
		go t.run()
	}
	t.trees[tr] = struct{}{}
	t.poke()
}

func (t *terminator) poke() {
	select {
	case t.wake <- struct{}{}: // a nil channel is never ready
	default:
	}
}

func (t *terminator) run() {
	sweep := newSweep(t.service)
	sweep.signalled = t.signalled
	pause := shortestPause
	for {
		trees, wake := t.due()
		if len(trees) == 0 {
			return
		}
		pause = t.pass(sweep, trees, pause)
		timer := time.NewTimer(pause)
		select {
		case <-wake:
			pause = shortestPause
			time.Sleep(shortestPause) // more may be about to end
		case <-timer.C:
		}
		timer.Stop()
	}
}

// due returns the trees to look at now. If there are none, the goroutine is to
// end.
func (t *terminator) due() (trees []*tree, wake <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.wake: // what it was about is seen now
	default:
	}
	for tr := range t.trees {
		if tr.wanted == watching && tr.watchers == 0 {
			delete(t.trees, tr)
			continue
		}
		tr.phase = tr.wanted
		trees = append(trees, tr)
	}
	if len(trees) == 0 {
		t.trees, t.wake = nil, nil
	}
	return trees, t.wake
}

// pass looks at all trees once. It returns how long to pause before the next
// pass, given the pause before this one.
func (t *terminator) pass(sweep *sweep, trees []*tree, pause time.Duration) time.Duration {
	for _, tr := range trees {
		tr.begin()
	}
	if err := sweep.visit(trees); err != nil {
		assume(trees)
	}
	pause = min(max(2*pause, shortestPause), longestPause)
	for _, tr := range trees {
		if tr.end() {
			t.finish(tr)
		}
		if tr.clean == 1 {
			pause = 0 // the second look may be the last
		} else if tr.phase == asking && tr.held {
			pause = min(pause, longestHeld)
		} else if tr.phase == asking {
			pause = min(pause, longestAsking)
		}
	}
	return pause
}

// assume is for when the process table cannot be read: members may exist until
// their group was killed.
func assume(trees []*tree) {
	for _, tr := range trees {
		tr.seen = tr.seen || tr.phase != killing
	}
}

func (t *terminator) finish(tr *tree) {
	if tr.leader != nil {
		tr.leader.reap()
		tr.leader.release()
	}
	t.mu.Lock()
	tr.over = true
	if tr.patience != nil {
		tr.patience.Stop()
	}
	delete(t.trees, tr)
	t.mu.Unlock()
	close(tr.gone)
	if tr.onGone != nil {
		tr.onGone()
	}
}
