package bashtest

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dsh-go/dsh/bash"
)

var background = []scenario{
	{"reads never repeat and never lose", incremental},
	{"a loss is flagged, with the file that has it all", lossy},
	{"stderr stands under its own line", stderrInDelta},
	{"a finished command stays completed", finished},
	{"exactly one call begins the termination", oneTermination},
	{"a termination just after the start is not lost", earlyTermination},
	{"the end of its context ends it", lifetime},
	{"closing ends every command and every later start fails", closing},
}

func incremental(s *suite) {
	process := s.start(s.open(Settings{}), "for i in $(seq 50); do echo $i; sleep .02; done")
	var text strings.Builder
	for running := true; running; {
		select {
		case <-process.Done():
			running = false
		case <-time.After(30 * time.Millisecond):
		}
		text.WriteString(process.ReadOutput().Text)
	}
	s.wantText("all reads", strings.ReplaceAll(text.String(), "\n", " "),
		"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 ")
	if last := process.ReadOutput(); last.Text != "" || last.Lossy || last.SpillPaths != nil {
		s.Errorf("the last read returns %+v", last)
	}
}

func lossy(s *suite) {
	process := s.start(s.open(Settings{MaxBytes: 64_000}), "seq 1 200000; echo E >&2")
	s.wait(process)
	delta := process.ReadOutput()
	if !delta.Lossy || !strings.HasSuffix(delta.Text, "\n200000\n[stderr]\nE\n") {
		s.Errorf("lossy %v, text ends %q", delta.Lossy, delta.Text[max(0, len(delta.Text)-30):])
	}
	if len(delta.SpillPaths) != 1 {
		s.Fatalf("files %q", delta.SpillPaths)
	}
	s.wantFileSize(delta.SpillPaths[0], 1_288_895)
	if again := process.ReadOutput(); again.Text != "" || again.Lossy {
		s.Errorf("the next read returns %+v", again)
	}
}

func stderrInDelta(s *suite) {
	process := s.start(s.open(Settings{}), "printf out; printf err >&2")
	s.wait(process)
	s.wantText("delta", process.ReadOutput().Text, "out\n[stderr]\nerr")
}

func finished(s *suite) {
	process := s.start(s.open(Settings{}), "echo z; exit 3")
	s.wait(process)
	if process.Terminate() || process.Terminate() {
		s.Error("a finished command was terminated")
	}
	state := process.State()
	if state.Status != bash.StatusCompleted || state.ExitCode != 3 || state.Signal != "" || state.Err != nil {
		s.Errorf("state %+v", state)
	}
	s.wantText("output", process.ReadOutput().Text, "z\n")
}

func oneTermination(s *suite) {
	line := nap()
	process := s.start(s.open(Settings{}), "exec "+line)
	s.wantRunning(line, 1)
	if state := process.State(); state != (bash.State{Status: bash.StatusRunning}) {
		s.Errorf("while it runs: %+v", state)
	}
	var began atomic.Int32
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if process.Terminate() {
				began.Add(1)
			}
		})
	}
	group.Wait()
	state := s.wait(process)
	if began.Load() != 1 || state.Status != bash.StatusKilled {
		s.Errorf("%d calls began it, and it is %+v", began.Load(), state)
	}
	s.wantSignal(state.ExitCode, state.Signal, "SIGTERM", 15)
	s.wantGone(line)
}

// earlyTermination is for runners that are still setting up when the polite
// signal comes. The grace is longer than anybody here waits.
func earlyTermination(s *suite) {
	line := nap()
	fixture := s.open(Settings{Grace: 2 * patience})
	for i := range 20 {
		process := s.start(fixture, line)
		time.Sleep(time.Duration(i) * time.Millisecond / 2)
		if !process.Terminate() {
			s.Error("it had ended by itself")
		}
		if state := s.wait(process); state.Status != bash.StatusKilled {
			s.Errorf("state %+v", state)
		}
	}
	s.wantGone(line)
}

func lifetime(s *suite) {
	line := nap()
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	process, err := bash.Start(ctx, s.open(Settings{}).Executor, bash.Request{Command: line})
	if err != nil {
		s.Fatal(err)
	}
	s.wantRunning(line, 1)
	cancel()
	if state := s.wait(process); state.Status != bash.StatusKilled {
		s.Errorf("state %+v", state)
	}
	s.wantGone(line)
}

func closing(s *suite) {
	line, stubborn := nap(), nap()
	fixture := s.open(Settings{})
	var all []bash.Process
	for range 10 {
		all = append(all, s.start(fixture, line))
	}
	s.wantRunning(line, 10)
	for range 5 {
		all = append(all, s.start(fixture, "trap '' TERM; while :; do "+stubborn+"; done"))
	}
	s.wantRunning(stubborn, 5)
	for range 5 {
		all = append(all, s.start(fixture, line)) // just starting
	}
	begin := time.Now()
	if err := fixture.Close(s.Context()); err != nil {
		s.Errorf("Close: %v", err)
	}
	if took := time.Since(begin); took > grace+patience/2 {
		s.Errorf("Close took %v", took)
	}
	for _, process := range all {
		select {
		case <-process.Done():
		default:
			s.Error("Close returned before a command was done")
		}
	}
	s.wantGone(line, stubborn)
	if _, err := bash.Start(s.Context(), fixture.Executor, bash.Request{Command: "true"}); err == nil {
		s.Error("a start after Close succeeds")
	}
}
