package subprocesslocal

import (
	"fmt"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// fork starts a script whose streams are this program's.
func fork(t *testing.T, script string) *leader {
	t.Helper()
	l, err := forkExec([]string{"/bin/sh", "-c", script}, &syscall.ProcAttr{Files: []uintptr{0, 1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTheEndOfALeader(t *testing.T) {
	for script, want := range map[string]exit{
		"exit 0":               {},
		"exit 255":             {code: 255},
		"kill -9 $$":           {code: -1, signal: unix.SIGKILL},
		"sleep 0.1; exit 3":    {code: 3},
		"kill -35 $$; sleep 9": {code: -1, signal: 35},
	} {
		for _, polled := range []bool{true, false} {
			l := fork(t, script)
			if !polled {
				l.release()
			}
			end, err := l.wait()
			if err != nil || end != want {
				t.Errorf("%s, polled %v: %+v, %v", script, polled, end, err)
			}
			if !l.exited() || l.isReaped() {
				t.Errorf("%s, polled %v: it is not an unreaped leader", script, polled)
			}
			l.acknowledge()
			l.reap()
			l.reap()
			l.release()
			if err := unix.Kill(l.pid, 0); err != unix.ESRCH {
				t.Errorf("%s, polled %v: after the reaping: %v", script, polled, err)
			}
		}
	}
}

func TestSignalNames(t *testing.T) {
	for signal, want := range map[syscall.Signal]string{
		unix.SIGTERM: "SIGTERM", unix.SIGSEGV: "SIGSEGV", 35: "SIG35",
	} {
		if got := signalName(signal); got != want {
			t.Errorf("signal %d is %q", signal, got)
		}
	}
	outcome := exit{code: -1, signal: unix.SIGKILL}.outcome(true)
	if got := fmt.Sprint(outcome); got != "{-1 SIGKILL true}" {
		t.Error(got)
	}
}
