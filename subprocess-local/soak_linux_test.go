package subprocesslocal

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
)

var soakRuns = flag.Int("soak", 200, "how many runs the soak test makes")

// soakCases are runs that end in every way there is.
var soakCases = []func(context.Context, *Service) error{
	soakPlain, soakOverflow, soakInput, soakTerminate, soakTimeout, soakDaemon, soakLeftover, soakStubborn,
	soakConfined, soakRefused,
}

// TestSoak makes many runs, mixed with kills, timeouts and overflow, after
// which everything is where it was.
func TestSoak(t *testing.T) {
	base := spillBase(t)
	service, err := New(Config{SpillDirs: []string{base}})
	if err != nil {
		t.Fatal(err)
	}
	checkLeaks(t)
	soak(t, service, 20) // makes what is made once
	before := measure()
	soak(t, service, *soakRuns)
	closeService(t, service)
	if after := measure(); after.memory > before.memory+8<<20 {
		t.Errorf("memory was %d bytes and is %d", before.memory, after.memory)
	}
	if entries, err := os.ReadDir(base); err != nil || len(entries) > 0 {
		t.Errorf("spill files are left: %v, %v", entries, err)
	}
}

func soak(t *testing.T, service *Service, runs int) {
	t.Helper()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for i := next.Add(1); i <= int64(runs); i = next.Add(1) {
				run := soakCases[rand.IntN(len(soakCases))]
				ctx, cancel := context.WithTimeout(t.Context(), tooLong)
				if err := run(ctx, service); err != nil {
					t.Errorf("run %d: %v", i, err)
				}
				cancel()
			}
		})
	}
	workers.Wait()
}

// soaked starts spec, lets act do something to it, and gives its outcome.
func soaked(ctx context.Context, service *Service, spec subprocess.Spec, act func(subprocess.Handle)) (subprocess.Handle, subprocess.Outcome, error) {
	spec.Grace = 100 * time.Millisecond
	handle, err := service.Start(ctx, spec)
	if err != nil {
		return nil, subprocess.Outcome{}, err
	}
	act(handle)
	outcome, err := handle.Outcome()
	if err != nil {
		return nil, outcome, err
	}
	return handle, outcome, nil
}

func nothing(subprocess.Handle) {}

// expect turns a wrong outcome into an error.
func expect(outcome subprocess.Outcome, err error, right bool) error {
	if err == nil && !right {
		return fmt.Errorf("outcome %+v", outcome)
	}
	return err
}

func soakPlain(ctx context.Context, service *Service) error {
	handle, outcome, err := soaked(ctx, service, bash("echo out; echo err >&2; exit 7"), nothing)
	return expect(outcome, err, outcome.ExitCode == 7 && err == nil &&
		handle.Stdout().ReadFrom(0).Text == "out\n" && handle.Stderr().ReadFrom(0).Text == "err\n")
}

func soakOverflow(ctx context.Context, service *Service) error {
	spec := bash("head -c 300000 /dev/zero")
	spec.Stdout.Spill = &subprocess.Spill{MaxBytes: int64(100_000 + rand.IntN(400_000))}
	handle, outcome, err := soaked(ctx, service, spec, nothing)
	if err != nil {
		return err
	}
	chunk := handle.Stdout().ReadFrom(0)
	if path := chunk.SpillPath; path != "" {
		info, err := os.Stat(path)
		if err != nil || info.Size() != 300_000 {
			return fmt.Errorf("spill of %v: %w", info, err)
		}
		os.Remove(path) // ten thousand of them would fill a disk
	}
	return expect(outcome, nil, outcome == subprocess.Outcome{} && chunk.Next == 300_000)
}

func soakInput(ctx context.Context, service *Service) error {
	spec := bash("wc -c; exit 2")
	spec.Stdin = strings.NewReader(strings.Repeat("x", rand.IntN(200_000)))
	_, outcome, err := soaked(ctx, service, spec, nothing)
	return expect(outcome, err, outcome.ExitCode == 2)
}

func soakTerminate(ctx context.Context, service *Service) error {
	_, outcome, err := soaked(ctx, service, bash("sleep 60 & sleep 60"), func(h subprocess.Handle) {
		time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
		h.Terminate()
		h.WaitTree(ctx)
	})
	return expect(outcome, err, outcome.Terminated)
}

func soakTimeout(ctx context.Context, service *Service) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(1+rand.IntN(10))*time.Millisecond)
	defer cancel()
	_, outcome, err := soaked(ctx, service, bash("yes"), nothing)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil // before the start
	}
	return expect(outcome, err, outcome.Terminated)
}

func soakDaemon(ctx context.Context, service *Service) error {
	handle, outcome, err := soaked(ctx, service, bash("setsid sleep 60 & wait"), func(h subprocess.Handle) { h.Terminate() })
	if err != nil {
		return err
	}
	return expect(outcome, handle.WaitTree(ctx), outcome.Terminated)
}

func soakLeftover(ctx context.Context, service *Service) error {
	_, outcome, err := soaked(ctx, service, bash("sleep 0.2 & exit 1"), nothing)
	return expect(outcome, err, outcome.ExitCode == 1)
}

func soakStubborn(ctx context.Context, service *Service) error {
	handle, outcome, err := soaked(ctx, service, bash("trap '' TERM; echo up; while :; do sleep 0.02; done"), func(h subprocess.Handle) {
		for h.Stdout().ReadFrom(0).Next == 0 {
			time.Sleep(time.Millisecond)
		}
		h.Terminate()
	})
	if err != nil {
		return err
	}
	return expect(outcome, handle.WaitTree(ctx), outcome.Signal == "SIGKILL")
}

func soakConfined(ctx context.Context, service *Service) error {
	spec := bash("exit 3")
	spec.Inputs = [][]byte{make([]byte, rand.IntN(100_000))}
	spec.Restrict = func() error { return nil }
	_, outcome, err := soaked(ctx, service, spec, nothing)
	return expect(outcome, err, outcome.ExitCode == 3)
}

func soakRefused(ctx context.Context, service *Service) error {
	spec := bash("exit 0")
	spec.Argv = []string{"/no/such/program"}
	spec.StdinPipe = true
	_, _, err := soaked(ctx, service, spec, nothing)
	var failure *subprocess.StartError
	if !errors.As(err, &failure) {
		return fmt.Errorf("Start: %w", err)
	}
	return nil
}
