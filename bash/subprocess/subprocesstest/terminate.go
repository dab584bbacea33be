package subprocesstest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
)

var terminateTests = []test{
	{"a handler of the polite signal runs to its end and decides the outcome", politeHandler},
	{"a handler may itself run programs", handlerRunsPrograms},
	{"what ignores the polite signal is killed after the grace", stubborn},
	{"a stopped process gets the polite signal too", stopped},
	{"with no grace the kill comes at once", terminateAtOnce},
	{"children of the leader end with it", childrenEnd},
	{"exactly one call begins the end", terminateOnce},
	{"a process that had ended keeps its outcome", terminateLate},
	{"the end of the context is the end of the process", contextEnds},
	{"the end of the context after the outcome is nothing", contextEndsLate},
	{"WaitTree waits for descendants", waitTree},
	{"what a leader left behind can still be ended", terminateLeftovers},
}

// ready makes a script say when it is set up and waits for it.
func (f *fixture) ready(script string, stdin bool) subprocess.Handle {
	f.Helper()
	spec := shell(script)
	spec.StdinPipe = stdin
	handle := f.start(spec)
	f.until("the script's being ready", func() bool { return strings.HasPrefix(text(handle.Stdout()), "ready\n") })
	return handle
}

func politeHandler(f *fixture) {
	handle := f.ready(`trap 'echo bye; exit 0' TERM; echo ready; sleep 60 & wait`, false)
	if !handle.Terminate() {
		f.Error("Terminate = false")
	}
	outcome := f.finish(handle)
	if want := (subprocess.Outcome{Terminated: true}); outcome != want || text(handle.Stdout()) != "ready\nbye\n" {
		f.Errorf("%+v, stdout %q", outcome, text(handle.Stdout()))
	}
	f.waitTree(handle)
}

func handlerRunsPrograms(f *fixture) {
	spec := shell(`trap 'sleep 0.2 && echo cleaned | cat; exit 5' TERM; echo ready; while :; do sleep 0.05; done`)
	spec.Grace = tooLong
	handle := f.start(spec)
	f.printed(handle.Stdout(), "ready\n")
	handle.Terminate()
	if outcome := f.finish(handle); outcome.ExitCode != 5 || text(handle.Stdout()) != "ready\ncleaned\n" {
		f.Errorf("%+v, stdout %q", outcome, text(handle.Stdout()))
	}
}

func stubborn(f *fixture) {
	handle := f.ready(`trap '' TERM; echo ready; while :; do sleep 0.05; done`, false)
	begin := time.Now()
	handle.Terminate()
	outcome := f.finish(handle)
	if want := (subprocess.Outcome{ExitCode: -1, Signal: "SIGKILL", Terminated: true}); outcome != want {
		f.Errorf("%+v", outcome)
	}
	if took := time.Since(begin); took < grace {
		f.Errorf("killed after %v, before the grace of %v was over", took, grace)
	}
	f.waitTree(handle)
}

func stopped(f *fixture) {
	spec := shell(`trap 'echo bye; exit 0' TERM; echo ready; kill -STOP $$; sleep 60`)
	spec.Grace = tooLong
	handle := f.start(spec)
	f.printed(handle.Stdout(), "ready\n")
	time.Sleep(50 * time.Millisecond) // lets it stop; the test holds if it has not yet
	handle.Terminate()
	if outcome := f.finish(handle); !outcome.Terminated || outcome.Signal == "SIGKILL" {
		f.Errorf("%+v", outcome)
	}
}

func terminateAtOnce(f *fixture) {
	spec := shell(`trap '' TERM; echo ready; while :; do sleep 0.05; done`)
	spec.Grace = 0
	handle := f.start(spec)
	f.printed(handle.Stdout(), "ready\n")
	handle.Terminate()
	if outcome := f.finish(handle); outcome.Signal != "SIGKILL" || !outcome.Terminated {
		f.Errorf("%+v", outcome)
	}
}

func childrenEnd(f *fixture) {
	dir := f.TempDir()
	handle := f.ready(beating(dir, 3)+`; sh -c "`+beating(dir, 1)+`; wait"& echo ready; wait`, false)
	f.beat(dir)
	handle.Terminate()
	f.finish(handle)
	f.waitTree(handle)
	f.noBeat(dir)
}

// beating starts loops in the background that ignore SIGTERM and go on
// appending to a file.
func beating(dir string, loops int) string {
	file := filepath.Join(dir, "beat")
	loop := `(trap '' TERM; while :; do echo >>` + file + `; sleep 0.02; done) & `
	return strings.TrimSuffix(strings.Repeat(loop, loops), "& ") + "& :"
}

// beat waits until something appends.
func (f *fixture) beat(dir string) {
	f.Helper()
	f.until("a beat", func() bool { _, err := os.Stat(filepath.Join(dir, "beat")); return err == nil })
}

// noBeat fails the test if something still appends.
func (f *fixture) noBeat(dir string) {
	f.Helper()
	file := filepath.Join(dir, "beat")
	before, err := os.Stat(file)
	if err != nil {
		f.Fatal(err)
	}
	time.Sleep(150 * time.Millisecond)
	if after, err := os.Stat(file); err != nil || after.Size() != before.Size() {
		f.Errorf("a descendant goes on: %v", err)
	}
}

func terminateOnce(f *fixture) {
	handle := f.start(shell(`exec sleep 60`))
	var begun atomic.Int32
	var calls sync.WaitGroup
	for range 10 {
		calls.Go(func() {
			if handle.Terminate() {
				begun.Add(1)
			}
		})
	}
	calls.Wait()
	if begun.Load() != 1 {
		f.Errorf("%d calls began it", begun.Load())
	}
	if outcome := f.finish(handle); !outcome.Terminated || outcome.Signal == "" {
		f.Errorf("%+v", outcome)
	}
	if handle.Terminate() {
		f.Error("Terminate = true after the end")
	}
}

func terminateLate(f *fixture) {
	handle := f.start(shell(`echo z; exit 3`))
	f.finish(handle)
	if handle.Terminate() || handle.Terminate() {
		f.Error("Terminate = true after the end")
	}
	if outcome := f.finish(handle); outcome != (subprocess.Outcome{ExitCode: 3}) || text(handle.Stdout()) != "z\n" {
		f.Errorf("%+v, stdout %q", outcome, text(handle.Stdout()))
	}
}

func contextEnds(f *fixture) {
	ctx, cancel := context.WithCancel(context.Background())
	handle, err := f.service.Start(ctx, shell(`exec sleep 60`))
	if err != nil {
		f.Fatal(err)
	}
	cancel()
	if outcome := f.finish(handle); !outcome.Terminated || outcome.Signal != "SIGTERM" {
		f.Errorf("%+v", outcome)
	}
	if handle.Terminate() {
		f.Error("Terminate = true although the context had begun it")
	}
}

func contextEndsLate(f *fixture) {
	ctx, cancel := context.WithCancel(context.Background())
	file := filepath.Join(f.TempDir(), "made later")
	handle, err := f.service.Start(ctx, shell(`(sleep 0.3; echo >"`+file+`") >/dev/null 2>&1 & exit 0`))
	if err != nil {
		f.Fatal(err)
	}
	f.finish(handle)
	cancel()
	f.until("the descendant's file", func() bool { _, err := os.Stat(file); return err == nil })
}

func waitTree(f *fixture) {
	handle := f.start(shell(`sleep 60 >/dev/null 2>&1 & exit 0`))
	f.finish(handle)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := handle.WaitTree(ctx); !errors.Is(err, context.DeadlineExceeded) {
		f.Errorf("WaitTree = %v while a descendant lives", err)
	}
	handle = f.start(shell(`sleep 0.2 >/dev/null 2>&1 & exit 0`))
	f.finish(handle)
	f.waitTree(handle)
	f.waitTree(handle)
}

func terminateLeftovers(f *fixture) {
	dir := f.TempDir()
	handle := f.start(shell(`(` + beating(dir, 2) + `) >/dev/null 2>&1; exit 0`))
	f.finish(handle)
	f.beat(dir)
	if handle.Terminate() {
		f.Error("Terminate = true although the process had ended")
	}
	f.waitTree(handle)
	f.noBeat(dir)
	if outcome := f.finish(handle); outcome != (subprocess.Outcome{}) {
		f.Errorf("%+v", outcome)
	}
}
