package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/dsh-go/dsh/bash/subprocess"
)

// Ending is how the program is asked to end before the command does.
type Ending struct {
	// Ctx ends with the first request. Its cause is an *EndedBy.
	Ctx context.Context
	// Cancel makes a request.
	Cancel  context.CancelCauseFunc
	signals chan os.Signal
	done    chan struct{}
}

// EndedBy is a request to end: the signal that was sent, or SIGPIPE when
// nobody reads the output any more.
type EndedBy struct{ Signal syscall.Signal }

// Error names the signal.
func (e *EndedBy) Error() string { return fmt.Sprintf("ended by %v", e.Signal) }

// WatchSignals turns the first SIGINT, SIGTERM or SIGHUP into the end of a
// context, upon which the command is terminated politely; the second has
// procs kill at once what is left. SIGPIPE is not left to end the program, for
// then the command would be left behind.
func WatchSignals(procs subprocess.Service) *Ending {
	e := &Ending{signals: make(chan os.Signal, 2), done: make(chan struct{})}
	e.Ctx, e.Cancel = context.WithCancelCause(context.Background())
	signal.Ignore(syscall.SIGPIPE)
	signal.Notify(e.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go e.watch(procs)
	return e
}

func (e *Ending) watch(procs subprocess.Service) {
	defer close(e.done)
	for count := 1; ; count++ {
		got, ok := <-e.signals
		if !ok {
			return
		}
		number, _ := got.(syscall.Signal)
		e.Cancel(&EndedBy{number})
		if count > 1 {
			// The context has ended, so nothing waits politely any more.
			_ = procs.Close(e.Ctx)
		}
	}
}

// Stop ends the watching.
func (e *Ending) Stop() {
	signal.Stop(e.signals)
	close(e.signals)
	<-e.done
	e.Cancel(nil)
}

// Status returns the exit status of a program that was asked to end.
func (e *Ending) Status() (status int, asked bool) {
	var by *EndedBy
	if errors.As(context.Cause(e.Ctx), &by) {
		return StatusSignal + int(by.Signal), true
	}
	return 0, false
}

// Served returns how a program ends that has served a client, with err, and
// leaves no process. A signal ends it with the signal's status, and politely,
// too: a second one has it done at once.
func (e *Ending) Served(procs subprocess.Service, std Streams, err error) error {
	if closeErr := procs.Close(context.Background()); closeErr != nil {
		fmt.Fprintln(std.Err, OneLine(closeErr))
	}
	var by *EndedBy
	if errors.As(err, &by) {
		status, _ := e.Status()
		return &ExitError{Status: status}
	}
	return err
}
