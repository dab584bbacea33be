package subprocesslocal

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
)

// cost is what a program holds for its processes.
type cost struct {
	goroutines, threads int
	memory              uint64
}

func measure() cost {
	runtime.GC()
	runtime.GC() // what the pools held
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	threads, _ := os.ReadDir("/proc/self/task")
	return cost{runtime.NumGoroutine(), len(threads), stats.HeapAlloc + stats.StackInuse}
}

// idleProcesses holds a thousand processes at once.
func idleProcesses() error {
	const n = 1000
	var service Service
	grace := time.Second
	if err := warmUp(&service); err != nil {
		return err
	}
	before := measure()
	handles := make([]subprocess.Handle, n)
	for i := range handles {
		spec := bash(fmt.Sprintf("echo %d; exec sleep 600", i))
		spec.Grace = grace
		handle, err := service.Start(testContext, spec)
		if err != nil {
			return err
		}
		handles[i] = handle
	}
	for i, handle := range handles {
		if err := awaitText(handle, fmt.Sprintf("%d\n", i)); err != nil {
			return err
		}
	}
	after := measure()
	if err := affordable(before, after, n); err != nil {
		return err
	}
	begin := time.Now()
	if err := service.Close(testContext); err != nil {
		return err
	}
	if took := time.Since(begin); took > grace+2*time.Second {
		return fmt.Errorf("Close took %v", took)
	}
	for _, handle := range handles {
		if outcome, err := handle.Outcome(); err != nil || !outcome.Terminated {
			return fmt.Errorf("%+v, %w", outcome, err)
		}
	}
	return nil
}

// warmUp has everything made that a service makes once.
func warmUp(service *Service) error {
	for range 50 {
		handle, err := service.Start(testContext, bash("echo"))
		if err != nil {
			return err
		}
		handle.Outcome()
	}
	return nil
}

func awaitText(handle subprocess.Handle, want string) error {
	for deadline := time.Now().Add(tooLong); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if handle.Stdout().ReadFrom(0).Text == want {
			return nil
		}
	}
	return fmt.Errorf("output is %q, want %q", handle.Stdout().ReadFrom(0).Text, want)
}

func affordable(before, after cost, n int) error {
	fmt.Printf("per process: %.2f goroutines, %.1f KiB; %d more threads for all\n",
		float64(after.goroutines-before.goroutines)/float64(n),
		float64(after.memory-before.memory)/float64(n)/1024, after.threads-before.threads)
	if after.goroutines-before.goroutines > 3*n {
		return fmt.Errorf("%d goroutines for %d processes", after.goroutines-before.goroutines, n)
	}
	if after.threads-before.threads > 20 {
		return fmt.Errorf("%d threads for %d processes", after.threads-before.threads, n)
	}
	if after.memory-before.memory > uint64(n)*32<<10 {
		return fmt.Errorf("%d bytes for %d processes", after.memory-before.memory, n)
	}
	return nil
}

func TestAThousandIdleProcesses(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector has costs of its own")
	}
	t.Log(runHelper(t, helper(t, "idle")))
}

// residentPeak is the highest resident memory of this program since the last
// reset, in bytes (proc_pid_status(5), VmHWM).
func residentPeak() (uint64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, err := strconv.ParseUint(strings.Fields(value)[0], 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("no VmHWM in %q", status)
}

// collectYes runs the fastest printer there is and says how much memory that
// took.
func collectYes() error {
	var service Service
	defer service.Close(testContext)
	if err := warmUp(&service); err != nil {
		return err
	}
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return err
	}
	before, err := residentPeak()
	if err != nil {
		return err
	}
	spec := bash("timeout 3 yes")
	spec.Stdout.Spill = &subprocess.Spill{MaxBytes: 64 << 20}
	handle, err := service.Start(testContext, spec)
	if err != nil {
		return err
	}
	outcome, err := handle.Outcome()
	if err != nil || outcome.ExitCode != 124 {
		return fmt.Errorf("%+v, %w", outcome, err)
	}
	chunk := handle.Stdout().ReadFrom(0)
	after, err := residentPeak()
	if err != nil {
		return err
	}
	fmt.Printf("%d MB collected, %d KiB resident beyond the baseline\n", chunk.Next/1e6, (after-before)>>10)
	if after-before > 32<<20 {
		return fmt.Errorf("%d bytes", after-before)
	}
	if !chunk.Lossy || chunk.SpillPath != "" || len(chunk.Text) != 64_000 {
		return fmt.Errorf("lossy %v, spill %q, %d bytes", chunk.Lossy, chunk.SpillPath, len(chunk.Text))
	}
	return nil
}

func TestAFloodCostsLittleMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector has costs of its own")
	}
	t.Log(runHelper(t, helper(t, "yes")))
}
