//go:build linux || darwin

package subprocesslocal

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// unendable is how long Close waits, beyond the longest grace, for processes
// that were killed.
const unendable = 5 * time.Second

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
	if !e.orphans.endRest(unendable) && err == nil {
		err = &SurvivorsError{}
	}
	return errors.Join(err, e.spills.close(config.KeepSpills))
}

// endAll ends every tree at once, together with what left the group of a
// leader that is long gone.
func (e *engine) endAll() error {
	e.mu.Lock()
	used, grace, processes := e.live != nil, e.grace, slices.Collect(maps.Keys(e.live))
	e.mu.Unlock()
	if !used || len(processes) == 0 && e.orphans.none() {
		return nil
	}
	for _, p := range processes {
		p.Terminate()
	}
	strays := &tree{gone: make(chan struct{})}
	e.terminator.end(strays, grace)
	return awaitAll(processes, strays, grace+unendable)
}

// awaitAll waits for the trees and the outcomes of processes, and for strays.
func awaitAll(processes []*process, strays *tree, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var survivors []int
	for _, p := range processes {
		if !happens(ctx, p.tree.gone) || !happens(ctx, p.done) {
			survivors = append(survivors, p.PID())
		}
	}
	if !happens(ctx, strays.gone) || len(survivors) > 0 {
		return &SurvivorsError{PIDs: survivors}
	}
	return nil
}

// happens waits until c is closed. It is false if ctx ends before.
func happens(ctx context.Context, c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-ctx.Done():
	}
	select {
	case <-c:
		return true
	default:
		return false
	}
}
