package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/dsh-go/dsh/bash/subprocess"
)

// ending is how the program is asked to end before the command does.
type ending struct {
	// ctx ends with the first request. Its cause is an *endedBy.
	ctx     context.Context
	cancel  context.CancelCauseFunc
	signals chan os.Signal
	done    chan struct{}
}

// endedBy is a request to end: the signal that was sent, or SIGPIPE when
// nobody reads the output any more.
type endedBy struct{ signal syscall.Signal }

func (e *endedBy) Error() string { return fmt.Sprintf("ended by %v", e.signal) }

// watchSignals turns the first SIGINT, SIGTERM or SIGHUP into the end of a
// context, upon which the command is terminated politely; the second has
// procs kill at once what is left. SIGPIPE is not left to end the program, for
// then the command would be left behind.
func watchSignals(procs subprocess.Service) *ending {
	e := &ending{signals: make(chan os.Signal, 2), done: make(chan struct{})}
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	signal.Ignore(syscall.SIGPIPE)
	signal.Notify(e.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go e.watch(procs)
	return e
}

func (e *ending) watch(procs subprocess.Service) {
	defer close(e.done)
	for count := 1; ; count++ {
		got, ok := <-e.signals
		if !ok {
			return
		}
		number, _ := got.(syscall.Signal)
		e.cancel(&endedBy{number})
		if count > 1 {
			// The context has ended, so nothing waits politely any more.
			_ = procs.Close(e.ctx)
		}
	}
}

// stop ends the watching.
func (e *ending) stop() {
	signal.Stop(e.signals)
	close(e.signals)
	<-e.done
	e.cancel(nil)
}

// status returns the exit status of a program that was asked to end.
func (e *ending) status() (status int, asked bool) {
	if by, ok := context.Cause(e.ctx).(*endedBy); ok {
		return statusSignal + int(by.signal), true
	}
	return 0, false
}
