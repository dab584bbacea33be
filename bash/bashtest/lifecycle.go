package bashtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash"
)

var lifecycle = []scenario{
	{"a silent background child does not hold the call", silentChild},
	{"a process that left its group ends at the timeout", leftGroup},
	{"a command that traps the timeout and exits 0 is timed out", trappedTimeout},
	{"a timeout is capped and shown", cappedTimeout},
	{"a negative timeout means none", noTimeout},
	{"a cancelled command is aborted", cancelled},
	{"a context that ended before runs nothing", endedBefore},
	{"the terminal is out of reach", terminal},
	{"a command that signals its own group hits itself alone", ownGroup},
	{"a freshly written script can be run at once", freshScript},
	{"many children end at the timeout", manyChildren},
	{"a death by signal is not an exit", signalDeath},
	{"exit codes pass unchanged", exitCodes},
}

func silentChild(s *suite) {
	line := nap()
	fixture := s.open(Settings{})
	result := s.runWith(fixture, bash.Request{Command: line + " & echo x", Timeout: 20 * time.Second})
	s.wantExit(result, 0)
	s.wantText("stdout", result.Stdout.Text, "x\n")
	if err := fixture.Close(s.Context()); err != nil {
		s.Errorf("Close: %v", err)
	}
	s.wantGone(line)
}

func leftGroup(s *suite) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		s.Skip("there is no /proc by which a process that left its group could be found")
	}
	inside, outside := nap(), nap()
	result := s.run(bash.Request{Command: "setsid " + outside + " & " + inside, Timeout: 500 * time.Millisecond})
	if !result.TimedOut || result.Aborted {
		s.Errorf("timed out %v, aborted %v", result.TimedOut, result.Aborted)
	}
	s.wantGone(inside, outside)
}

func trappedTimeout(s *suite) {
	line := nap()
	fixture := s.open(Settings{Grace: 10 * time.Second})
	result := s.runWith(fixture, bash.Request{
		Command: "trap 'echo bye; exit 0' TERM; echo ready; " + line + " & wait",
		Timeout: time.Second,
	})
	if result.ExitCode != 0 || result.Signal != "" || !result.TimedOut || result.Aborted {
		s.Errorf("exit code %d, signal %q, timed out %v, aborted %v", result.ExitCode, result.Signal, result.TimedOut, result.Aborted)
	}
	s.wantText("stdout", result.Stdout.Text, "ready\nbye\n")
	s.wantGone(line)
}

func cappedTimeout(s *suite) {
	fixture := s.open(Settings{Timeout: 150 * time.Millisecond, MaxTimeout: 250 * time.Millisecond})
	for asked, want := range map[time.Duration]time.Duration{
		0:                      150 * time.Millisecond,
		time.Hour:              250 * time.Millisecond,
		-1:                     250 * time.Millisecond,
		100 * time.Millisecond: 100 * time.Millisecond,
	} {
		result := s.runWith(fixture, bash.Request{Command: nap(), Timeout: asked})
		if result.Timeout != want || !result.TimedOut {
			s.Errorf("asked for %v: timed out %v after %v, want %v", asked, result.TimedOut, result.Timeout, want)
		}
	}
}

func noTimeout(s *suite) {
	fixture := s.open(Settings{Timeout: 100 * time.Millisecond, MaxTimeout: -1})
	result := s.runWith(fixture, bash.Request{Command: "sleep 0.5", Timeout: -1})
	s.wantExit(result, 0)
	if result.Timeout != 0 {
		s.Errorf("a timeout of %v was in force", result.Timeout)
	}
}

func cancelled(s *suite) {
	line := nap()
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	var once sync.Once
	result, err := bash.Run(ctx, s.open(Settings{}).Executor, bash.Request{
		Command: "echo started; " + line,
		Observe: func(bash.Stream, []byte) { once.Do(cancel) },
	})
	if err != nil {
		s.Fatal(err)
	}
	if !result.Aborted || result.TimedOut {
		s.Errorf("aborted %v, timed out %v", result.Aborted, result.TimedOut)
	}
	s.wantText("stdout", result.Stdout.Text, "started\n")
	s.wantGone(line)
}

func endedBefore(s *suite) {
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(s.Context())
	cancel(why)
	dir := s.opts.Dir(s.T)
	fixture := s.open(Settings{Workdir: dir})
	req := bash.Request{Command: "touch ran"}
	if _, err := bash.Run(ctx, fixture.Executor, req); !errors.Is(err, why) {
		s.Errorf("Run: %v, want the context's cause", err)
	}
	if _, err := bash.Start(ctx, fixture.Executor, req); !errors.Is(err, why) {
		s.Errorf("Start: %v, want the context's cause", err)
	}
	s.wantAbsent(filepath.Join(dir, "ran"))
}

func terminal(s *suite) {
	result := s.run(bash.Request{Command: `read -t 30 x </dev/tty; echo rc=$?`, Timeout: 20 * time.Second})
	s.wantExit(result, 0)
	s.wantText("stdout", result.Stdout.Text, "rc=1\n")
	if !strings.Contains(result.Stderr.Text, "/dev/tty") {
		s.Errorf("stderr %q does not speak of /dev/tty", result.Stderr.Text)
	}
}

func ownGroup(s *suite) {
	for signal, number := range map[string]int{"TERM": 15, "KILL": 9} {
		result := s.run(bash.Request{Command: "kill -" + signal + " 0; sleep 5"})
		if result.TimedOut || result.Aborted {
			s.Errorf("timed out %v, aborted %v", result.TimedOut, result.Aborted)
		}
		s.wantSignal(result.ExitCode, result.Signal, "SIG"+signal, number)
	}
}

func freshScript(s *suite) {
	const workers = 16
	each := 60
	if testing.Short() {
		each = 5
	}
	dir := s.opts.Dir(s.T)
	fixture := s.open(Settings{Workdir: dir})
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := range each {
				name := fmt.Sprintf("script-%d-%d", worker, i)
				s.runFresh(fixture, filepath.Join(dir, name), name)
			}
		})
	}
	group.Wait()
}

// runFresh writes a script and runs it as a program. It is called from many
// goroutines. No fork of this process may inherit the file while it is open
// for writing, or executing it fails with "text file busy".
func (s *suite) runFresh(fixture Fixture, path, text string) {
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte("#!/bin/sh\necho "+text+"\n"), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		s.Error(err)
		return
	}
	result, err := bash.Run(s.Context(), fixture.Executor, bash.Request{Command: path})
	if err != nil || result.ExitCode != 0 || result.Stdout.Text != text+"\n" {
		s.Errorf("%s: %v, exit code %d, %q, %q", text, err, result.ExitCode, result.Stdout.Text, result.Stderr.Text)
	}
}

func manyChildren(s *suite) {
	line := nap()
	fixture := s.open(Settings{})
	result := s.runWith(fixture, bash.Request{
		Command: "for i in {1..300}; do " + line + " & done; wait",
		Timeout: time.Second,
	})
	if !result.TimedOut {
		s.Errorf("not timed out: exit code %d, %q", result.ExitCode, result.Stderr.Text)
	}
	s.wantGone(line)
	s.wantText("the next command's stdout", s.runWith(fixture, bash.Request{Command: "echo ok"}).Stdout.Text, "ok\n")
}

func signalDeath(s *suite) {
	for signal, number := range map[string]int{"KILL": 9, "SEGV": 11, "TERM": 15} {
		s.Run(signal, func(t *testing.T) {
			sub := &suite{T: t, opts: s.opts}
			result := sub.run(bash.Request{Command: "ulimit -c 0; kill -" + signal + " $$; sleep 5"})
			sub.wantSignal(result.ExitCode, result.Signal, "SIG"+signal, number)
		})
	}
}

func exitCodes(s *suite) {
	fixture := s.open(Settings{})
	for _, code := range []int{0, 1, 2, 3, 124, 125, 126, 127, 128, 137, 143, 255} {
		s.wantExit(s.runWith(fixture, bash.Request{Command: fmt.Sprintf("exit %d", code)}), code)
	}
}

// wantAbsent checks that nothing is there.
func (s *suite) wantAbsent(path string) {
	s.Helper()
	if _, err := os.Lstat(path); err == nil {
		s.Errorf("%s exists", path)
	}
}
