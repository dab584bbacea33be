package subprocesslocal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
	"golang.org/x/sys/unix"
)

// A file that was just written may be "text file busy": while it was open for
// writing, somebody else was forked and has not yet let go of it.
func TestFreshlyWrittenProgramsStart(t *testing.T) {
	service := newService(t)
	dir := t.TempDir()
	var writers sync.WaitGroup
	for i := range 16 {
		writers.Go(func() {
			for j := range 60 {
				path := filepath.Join(dir, fmt.Sprintf("%d-%d", i, j))
				content := fmt.Sprintf("#!/bin/sh\nexit %d\n", j)
				if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
					t.Error(err)
					return
				}
				spec := bash("")
				spec.Argv = []string{path}
				if j%8 == 0 {
					spec.Restrict = func() error { return nil }
				}
				if outcome := finish(t, start(t, service, spec)); outcome.ExitCode != j {
					t.Errorf("%s: %+v", path, outcome)
				}
			}
		})
	}
	writers.Wait()
}

func TestAProgramThatStaysBusyIsAnErrorInTheEnd(t *testing.T) {
	service := newService(t)
	path := filepath.Join(t.TempDir(), "busy")
	content, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	spec := bash("")
	spec.Argv = []string{path}
	_, err = service.Start(testContext, spec)
	var failure *subprocess.StartError
	if !errors.As(err, &failure) || failure.Stage != subprocess.StageExec || !errors.Is(err, unix.ETXTBSY) {
		t.Errorf("Start: %v", err)
	}
	time.AfterFunc(30*time.Millisecond, func() { file.Close() })
	finish(t, start(t, service, spec))
}

// The directory goes and comes back all the time, so that it vanishes at every
// point of a start. The program is there throughout and never at fault.
func TestAVanishingDirectoryIsNeverAMissingProgram(t *testing.T) {
	service := newService(t)
	dir := filepath.Join(t.TempDir(), "now and then")
	var stop atomic.Bool
	var flicker sync.WaitGroup
	flicker.Go(func() {
		for !stop.Load() {
			os.Mkdir(dir, 0o700)
			time.Sleep(100 * time.Microsecond)
			os.Remove(dir)
			time.Sleep(3 * time.Millisecond)
		}
	})
	defer flicker.Wait()
	defer stop.Store(true)
	for range 300 {
		spec := bash("exit 0")
		spec.Dir = dir
		handle, err := service.Start(testContext, spec)
		if err == nil {
			finish(t, handle)
			continue
		}
		var failure *subprocess.StartError
		if !errors.As(err, &failure) || !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("Start: %v", err)
		}
		if failure.Stage != subprocess.StageDirectory {
			t.Errorf("%v is of stage %s", err, failure.Stage)
		}
	}
}

// A file system that does not answer holds up the start in it, and neither
// another one nor the garbage collector. Nobody else sees it.
func TestADirectoryThatDoesNotAnswerHoldsUpNobodyElse(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount a file system that does not answer")
	}
	namespace := []string{"unshare", "--mount"}
	if out, err := exec.Command(namespace[0], namespace[1], "test", "-w", "/dev/fuse").CombinedOutput(); err != nil {
		t.Skipf("no file system can be served here: %v: %s", err, strings.TrimSpace(string(out)))
	}
	cmd := helper(t, "silent", namespace...)
	cmd.Dir = t.TempDir()
	if printed := runHelper(t, cmd); printed != "" {
		t.Error(printed)
	}
}

// startInSilence is a program with a mount namespace and a directory of its own.
func startInSilence() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	answer, err := mountSilent(dir)
	if err != nil {
		return err
	}
	defer answer()
	service, err := New(Config{})
	if err != nil {
		return err
	}
	held := make(chan error, 1)
	go func() {
		spec := bash("exit 0")
		spec.Dir = dir
		_, err := service.Start(testContext, spec)
		held <- err
	}()
	select {
	case err := <-held:
		return fmt.Errorf("the start in silence ended: %w", err)
	case <-time.After(100 * time.Millisecond):
	}
	began := time.Now()
	if _, err := runToEnd(service, bash("echo 1")); err != nil {
		return err
	}
	runtime.GC()
	if took := time.Since(began); took > tooLong {
		return fmt.Errorf("another start and the garbage collector were held up for %v", took)
	}
	answer()
	var failure *subprocess.StartError
	if err := <-held; !errors.As(err, &failure) || failure.Stage != subprocess.StageDirectory {
		return fmt.Errorf("the start in silence: %w", err)
	}
	return service.Close(testContext)
}

// mountSilent mounts a file system whose server does not answer until answer
// ends it (fuse(4)). The server is another program, for this one may be held up
// as a whole, and ends by itself.
func mountSilent(dir string) (answer func(), err error) {
	connection, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", connection.Fd())
	if err := unix.Mount("silent", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return nil, os.NewSyscallError("mount", err)
	}
	server := exec.Command("/bin/sleep", fmt.Sprint(2*tooLong.Seconds()))
	server.Dir, server.ExtraFiles = "/", []*os.File{connection}
	if err := server.Start(); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}), nil
}

func TestStartsThatFailLeaveNothing(t *testing.T) {
	service := newService(t)
	finish(t, start(t, service, bash(":")))
	checkLeaks(t)
	for range 50 {
		spec := bash("")
		spec.Argv = []string{"/no/such/program"}
		spec.Inputs = [][]byte{[]byte("small"), make([]byte, 1<<20)}
		spec.StdinPipe = true
		if _, err := service.Start(testContext, spec); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("Start: %v", err)
		}
	}
}

func TestTooFewDescriptorsIsAnError(t *testing.T) {
	service := newService(t)
	finish(t, start(t, service, bash(":")))
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	used := take().descriptors
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &old)
	failures := 0
	for spare := range uint64(8) {
		few := unix.Rlimit{Cur: uint64(used) + spare, Max: old.Max}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
			t.Fatal(err)
		}
		handle, err := service.Start(testContext, bash("exit 3"))
		if err != nil {
			var failure *subprocess.StartError
			if !errors.As(err, &failure) || failure.Stage != subprocess.StageExec {
				t.Errorf("Start: %v", err)
			}
			failures++
		} else if outcome := finish(t, handle); outcome.ExitCode != 3 {
			t.Errorf("%+v", outcome)
		}
	}
	if failures == 0 {
		t.Error("nothing failed")
	}
}

func TestAnObserverThatIsSlowLosesNothing(t *testing.T) {
	service := newService(t)
	total := 0
	spec := bash("sleep 30 & head -c 200000 /dev/zero")
	spec.Grace = 50 * time.Millisecond
	spec.Stdout = subprocess.Output{Observe: func(chunk []byte) {
		total += len(chunk)
		time.Sleep(100 * time.Millisecond) // the deadline passes meanwhile
	}}
	finish(t, start(t, service, spec))
	if total != 200_000 {
		t.Errorf("the observer saw %d bytes", total)
	}
}

// What the leader wrote just before it exited is in the pipe when the time to
// wait for descendants is over.
func TestADescendantThatFloodsDoesNotHoldTheOutcome(t *testing.T) {
	service := newService(t)
	spec := bash("echo first; yes & sleep 0.1; exit 4")
	spec.Grace = 50 * time.Millisecond
	outcome := finish(t, start(t, service, spec))
	if outcome.ExitCode != 4 {
		t.Errorf("%+v", outcome)
	}
}

func TestNamesAreBytes(t *testing.T) {
	service := newService(t)
	dir := filepath.Join(t.TempDir(), "d\xff")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	spec := bash("touch z")
	spec.Dir = dir
	run(t, service, spec)
	if _, err := os.Stat(filepath.Join(dir, "z")); err != nil {
		t.Error(err)
	}
}
