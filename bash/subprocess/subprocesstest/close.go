package subprocesstest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
)

var closeTests = []test{
	{"everything is ended at once", closeEnds},
	{"descendants that outlived their leader are ended", closeEndsLeftovers},
	{"a context that has ended kills at once", closeAtOnce},
	{"starts that race with Close are refused or ended", closeRaces},
	{"Close can be called again, and starts stay refused", closeTwice},
	{"output can be read after Close", readAfterClose},
}

func closeEnds(f *fixture) {
	var handles []subprocess.Handle
	for range 10 {
		handles = append(handles, f.start(shell(`exec sleep 60`)))
	}
	for range 5 {
		handles = append(handles, f.start(shell(`trap '' TERM; while :; do sleep 0.1; done`)))
	}
	begin := time.Now()
	if err := f.service.Close(context.Background()); err != nil {
		f.Fatal(err)
	}
	if took := time.Since(begin); took > grace*5+tooLong/2 {
		f.Errorf("took %v", took)
	}
	for _, handle := range handles {
		select {
		case <-handle.Done():
		default:
			f.Error("a process is not done after Close")
		}
		if outcome, err := handle.Outcome(); err != nil || !outcome.Terminated {
			f.Errorf("%+v, %v", outcome, err)
		}
		f.waitTree(handle)
	}
}

func closeEndsLeftovers(f *fixture) {
	dir := f.TempDir()
	f.finish(f.start(shell(`(` + beating(dir, 3) + `) >/dev/null 2>&1; exit 0`)))
	f.beat(dir)
	if err := f.service.Close(context.Background()); err != nil {
		f.Fatal(err)
	}
	f.noBeat(dir)
}

func closeAtOnce(f *fixture) {
	spec := shell(`trap '' TERM; echo ready; while :; do sleep 0.05; done`)
	spec.Grace = 10 * tooLong
	handle := f.start(spec)
	f.printed(handle.Stdout(), "ready\n")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if err := f.service.Close(ctx); err != nil {
			f.Error(err)
		}
	}()
	f.await(closed, "Close")
	if outcome := f.finish(handle); outcome.Signal != "SIGKILL" || !outcome.Terminated {
		f.Errorf("%+v", outcome)
	}
}

func closeRaces(f *fixture) {
	var starts sync.WaitGroup
	var mu sync.Mutex
	var handles []subprocess.Handle
	for range 16 {
		starts.Go(func() {
			for {
				handle, err := f.service.Start(context.Background(), shell(`exec sleep 60`))
				if err != nil {
					if !errors.Is(err, subprocess.ErrClosed) {
						f.Error(err)
					}
					return
				}
				mu.Lock()
				handles = append(handles, handle)
				mu.Unlock()
			}
		})
	}
	time.Sleep(30 * time.Millisecond)
	if err := f.service.Close(context.Background()); err != nil {
		f.Error(err)
	}
	starts.Wait()
	for _, handle := range handles {
		f.await(handle.Done(), "Done")
		f.waitTree(handle)
	}
}

func closeTwice(f *fixture) {
	f.finish(f.start(shell(`exit 0`)))
	for range 2 {
		if err := f.service.Close(context.Background()); err != nil {
			f.Error(err)
		}
	}
	var failure *subprocess.StartError
	_, err := f.service.Start(context.Background(), shell(`exit 0`))
	if !errors.Is(err, subprocess.ErrClosed) || !errors.As(err, &failure) {
		f.Errorf("Start after Close: %v", err)
	}
}

func readAfterClose(f *fixture) {
	handle := f.start(shell(`echo kept; exit 6`))
	f.finish(handle)
	if err := f.service.Close(context.Background()); err != nil {
		f.Error(err)
	}
	if outcome := f.finish(handle); outcome.ExitCode != 6 || text(handle.Stdout()) != "kept\n" {
		f.Errorf("%+v, stdout %q", outcome, text(handle.Stdout()))
	}
}
