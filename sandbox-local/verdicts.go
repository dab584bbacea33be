package sandboxlocal

import (
	"context"
	"errors"
	"sync"
)

// candidate is what a verdict is about: an entry of Config.Runners, as seen by
// a host that can or cannot confine a thread.
type candidate struct {
	entry    string
	onThread bool
}

// verdicts remembers which candidates are usable. Concurrent calls share one
// look at a candidate. The zero value knows nothing.
type verdicts struct {
	mu    sync.Mutex
	looks map[candidate]*look
}

// look is one finding about a candidate. found and err are set before done is
// closed.
type look struct {
	done  chan struct{}
	found runner
	err   error
	// abandoned says that the caller that was looking went away, which tells
	// nothing to those who waited for it.
	abandoned bool
}

func (v *verdicts) drop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.looks = nil
}

// of returns the verdict that is known, or forms it with examine. It waits for
// another call that is forming it, but not beyond the end of ctx.
func (v *verdicts) of(ctx context.Context, about candidate, examine func() (runner, error)) (runner, error) {
	for {
		l, mine := v.join(about)
		if mine {
			l.found, l.err = examine()
			l.abandoned = ctx.Err() != nil
			v.settle(about, l)
			return l.found, l.err
		}
		select {
		case <-l.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !l.abandoned {
			return l.found, l.err
		}
	}
}

// join returns the look at the candidate, and whether the caller is to take it.
func (v *verdicts) join(about candidate) (l *look, mine bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if l, ok := v.looks[about]; ok {
		return l, false
	}
	if v.looks == nil {
		v.looks = make(map[candidate]*look)
	}
	l = &look{done: make(chan struct{})}
	v.looks[about] = l
	return l, true
}

// settle publishes a look, and forgets it for later calls if it came to no
// verdict.
func (v *verdicts) settle(about candidate, l *look) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var undecided *undecidedError
	if v.looks[about] == l && (l.abandoned || errors.As(l.err, &undecided)) {
		delete(v.looks, about)
	}
	close(l.done)
}
