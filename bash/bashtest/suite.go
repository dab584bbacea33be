// Package bashtest is the conformance suite for a [bash.Executor]: situations
// in which users of shell-running tools were let down, each with the outcome
// that is right.
//
// An implementation runs it from a test of its own:
//
//	func TestConformance(t *testing.T) {
//		bashtest.Run(t, bashtest.Options{Open: open})
//	}
//
// The suite runs real commands and needs bash and the usual command-line tools.
// It changes the test process's environment while it runs, so it must not run
// in parallel with other tests. It leaves nothing behind.
package bashtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash"
)

// Settings are how an executor under test must be configured. The zero value
// of a field leaves it to the executor's default.
type Settings struct {
	// Workdir is where commands start that name no working directory.
	Workdir string
	// Timeout is that of a request without one, and MaxTimeout bounds every
	// request's.
	Timeout, MaxTimeout time.Duration
	// Grace is the time from the polite signal to the forced one.
	Grace time.Duration
	// MaxBytes is how many bytes of each stream are kept in memory, and
	// SpillBytes how long a stream that is kept whole in a file may be.
	MaxBytes   int
	SpillBytes int64
}

// Fixture is one executor under test.
type Fixture struct {
	// Executor runs the commands; it is used by many goroutines at once.
	Executor bash.Executor
	// Close ends every process that the executor started. The suite calls it
	// at least once, and calls it again in a cleanup.
	Close func(ctx context.Context) error
}

// Options says what is tested and what is known about it.
type Options struct {
	// Open returns an executor of its own for one test.
	Open func(t *testing.T, settings Settings) Fixture
	// Dir makes a directory for one test, in which commands can start. Nil
	// means t.TempDir.
	Dir func(t *testing.T) string
	// SignalsAsExitCodes says that a command's death by signal n arrives as
	// exit code 128+n, because a runner stands in between.
	SignalsAsExitCodes bool
}

// Run runs the suite.
func Run(t *testing.T, opts Options) {
	if opts.Dir == nil {
		opts.Dir = func(t *testing.T) string { return t.TempDir() }
	}
	for _, group := range []struct {
		name      string
		scenarios []scenario
		alone     bool // they change what belongs to the whole process
	}{
		{"lifecycle", lifecycle, false},
		{"output", output, false},
		{"input", input, true},
		{"command", command, false},
		{"environment", environment, true},
		{"background", background, false},
	} {
		t.Run(group.name, func(t *testing.T) { runAll(t, opts, group.scenarios, group.alone) })
	}
}

// runAll runs scenarios in parallel with each other, for most of them mainly
// wait, unless each has to be alone.
func runAll(t *testing.T, opts Options, scenarios []scenario, alone bool) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			if !alone {
				t.Parallel()
			}
			s.run(&suite{T: t, opts: opts})
		})
	}
}

// scenario is one situation.
type scenario struct {
	name string
	run  func(s *suite)
}

// suite is one scenario being run.
type suite struct {
	*testing.T
	opts Options
}

// patience is longer than anything here takes on a busy machine. What hangs is
// noticed by it; nothing that is right comes near it.
const patience = 30 * time.Second

// grace is short, for several scenarios wait for its end.
const grace = 500 * time.Millisecond

// open returns an executor that is closed after the scenario.
func (s *suite) open(settings Settings) Fixture {
	s.Helper()
	if settings.Workdir == "" {
		settings.Workdir = s.opts.Dir(s.T)
	}
	if settings.Grace == 0 {
		settings.Grace = grace
	}
	fixture := s.opts.Open(s.T, settings)
	s.Cleanup(func() {
		if err := fixture.Close(context.Background()); err != nil {
			s.Errorf("Close: %v", err)
		}
	})
	return fixture
}

// run runs a request in the foreground with an executor of its own.
func (s *suite) run(req bash.Request) bash.Result {
	s.Helper()
	return s.runWith(s.open(Settings{}), req)
}

// runWith runs a request, which must not fail for want of infrastructure or
// hang.
func (s *suite) runWith(fixture Fixture, req bash.Request) bash.Result {
	s.Helper()
	result, err := s.try(fixture, req)
	if err != nil {
		s.Fatalf("Run(%.80q): %v", req.Command, err)
	}
	return result
}

// try runs a request that may fail, but must not hang.
func (s *suite) try(fixture Fixture, req bash.Request) (bash.Result, error) {
	s.Helper()
	hung := errors.New("hung")
	ctx, cancel := context.WithTimeoutCause(s.Context(), patience, hung)
	defer cancel()
	result, err := bash.Run(ctx, fixture.Executor, req)
	if context.Cause(ctx) == hung {
		s.Fatalf("Run(%.80q) did not end within %v", req.Command, patience)
	}
	return result, err
}

// start starts a command in the background with fixture.
func (s *suite) start(fixture Fixture, command string) bash.Process {
	s.Helper()
	process, err := bash.Start(s.Context(), fixture.Executor, bash.Request{Command: command})
	if err != nil {
		s.Fatalf("Start(%.80q): %v", command, err)
	}
	return process
}

// wait waits for the end of a background command.
func (s *suite) wait(process bash.Process) bash.State {
	s.Helper()
	select {
	case <-process.Done():
		return process.State()
	case <-time.After(patience):
		s.Fatalf("not done within %v", patience)
		panic("unreachable")
	}
}

// wantExit checks how a result ended, and that it is nothing else.
func (s *suite) wantExit(result bash.Result, code int) {
	s.Helper()
	if result.ExitCode != code || result.Signal != "" || result.TimedOut || result.Aborted {
		s.Errorf("exit code %d, signal %q, timed out %v, aborted %v, want exit code %d; stderr %.200q",
			result.ExitCode, result.Signal, result.TimedOut, result.Aborted, code, result.Stderr.Text)
	}
}

// wantSignal checks for a death by the signal with that name and number.
func (s *suite) wantSignal(exitCode int, signal, name string, number int) {
	s.Helper()
	wantCode := -1
	if s.opts.SignalsAsExitCodes {
		wantCode, name = 128+number, ""
	}
	if exitCode != wantCode || signal != name {
		s.Errorf("exit code %d, signal %q, want %d, %q", exitCode, signal, wantCode, name)
	}
}

func (s *suite) wantText(what, got, want string) {
	s.Helper()
	if got != want {
		s.Errorf("%s is %.200q, want %.200q", what, got, want)
	}
}
