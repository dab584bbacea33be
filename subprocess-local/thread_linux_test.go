package subprocesslocal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
	"golang.org/x/sys/unix"
)

func threadExists(tid int) bool {
	_, err := os.Stat("/proc/self/task/" + strconv.Itoa(tid))
	return err == nil
}

// niceness is what nice prints in this program's children and, as the number,
// what a thread is set to that is to be told apart. A test run may itself be
// niced.
func niceness(t *testing.T) (usual, special string, value int) {
	t.Helper()
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	nice := 20 - raw // the system call returns 40 to 1 (getpriority(2))
	if nice == 19 {
		t.Skip("this program runs at the lowest priority, so no thread can have a lower one")
	}
	return fmt.Sprintf("%d\n", nice), fmt.Sprintf("%d\n", nice+1), nice + 1
}

// A thread that was restricted must serve nothing afterwards, so it ends.
func TestTheRestrictedThreadEnds(t *testing.T) {
	service := newService(t)
	usual, special, value := niceness(t)
	var tid int
	spec := bash("nice")
	spec.Restrict = func() error {
		tid = unix.Gettid()
		return unix.Setpriority(unix.PRIO_PROCESS, 0, value) // of this thread alone
	}
	if out := run(t, service, spec); out != special {
		t.Errorf("the process was not started from the restricted thread: nice is %q", out)
	}
	until(t, "the thread's end", func() bool { return !threadExists(tid) })
	if out := run(t, service, bash("nice")); out != usual {
		t.Errorf("another start came from the restricted thread: nice is %q", out)
	}
}

func TestRestrictionsNeverReachTheMainThreadOrEachOther(t *testing.T) {
	service := newService(t)
	usual, special, value := niceness(t)
	var starts sync.WaitGroup
	var mu sync.Mutex
	tids := map[int]int{}
	for range 8 {
		starts.Go(func() {
			for range 25 {
				spec := bash("nice")
				spec.Restrict = func() error {
					mu.Lock()
					defer mu.Unlock()
					tids[unix.Gettid()]++
					return unix.Setpriority(unix.PRIO_PROCESS, 0, value)
				}
				if out := run(t, service, spec); out != special {
					t.Errorf("confined: nice is %q", out)
				}
				if out := run(t, service, bash("nice")); out != usual {
					t.Errorf("beside it: nice is %q", out)
				}
			}
		})
	}
	starts.Wait()
	if tids[os.Getpid()] > 0 {
		t.Error("the main thread was restricted")
	}
}

func TestOnDoomedThreadFromTheMainThread(t *testing.T) {
	main := make(chan bool, 1)
	for range 2000 {
		onDoomedThread(func() {
			if unix.Gettid() == unix.Getpid() {
				select {
				case main <- true:
				default:
				}
			}
		})
	}
	select {
	case <-main:
		t.Error("the work was done on the main thread")
	default:
	}
}

// A program that asked to die with its parent thread must not die with the
// thread of whoever called Start.
func TestProcessesOutliveTheCallersThread(t *testing.T) {
	service := newService(t)
	setpriv, err := service.LookPath(context.Background(), "setpriv", nil)
	if err != nil {
		t.Skip(err)
	}
	started := make(chan *process)
	var tid int
	go func() {
		runtime.LockOSThread() // and never unlocks: the thread ends with the goroutine
		if tid = unix.Gettid(); tid == unix.Getpid() {
			defer runtime.UnlockOSThread()
		}
		spec := bash("")
		spec.Argv = []string{setpriv, "--pdeathsig", "KILL", "/bin/bash", "-c", "echo up; sleep 0.3; echo still"}
		started <- start(t, service, spec)
	}()
	p := <-started
	printed(t, p, 1)
	if tid != os.Getpid() {
		until(t, "the thread's end", func() bool { return !threadExists(tid) })
	}
	if outcome := finish(t, p); outcome.ExitCode != 0 || p.Stdout().ReadFrom(0).Text != "up\nstill\n" {
		t.Errorf("%+v, stdout %q", outcome, p.Stdout().ReadFrom(0).Text)
	}
}

func TestAFailedRestrictionLeavesNothing(t *testing.T) {
	service := newService(t)
	reason := errors.New("no")
	for range 20 {
		spec := bash("echo ran")
		spec.Inputs = [][]byte{make([]byte, 1<<20)}
		spec.Stdin = strings.NewReader("x")
		spec.Restrict = func() error { return reason }
		_, err := service.Start(context.Background(), spec)
		var failure *subprocess.StartError
		if !errors.As(err, &failure) || failure.Stage != subprocess.StageRestrict {
			t.Fatalf("Start: %v", err)
		}
	}
	time.Sleep(10 * time.Millisecond)
	if n := service.liveCount(); n != 0 {
		t.Errorf("%d processes are remembered", n)
	}
}
