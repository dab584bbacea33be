package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// namesLeader sends the polite signal as a spawner does, to the group of the
// process that the runner names. It is this package that starts the command,
// because nobody else tells what the runner reported while it runs.
func namesLeader(ctx context.Context, e *examination) error {
	c := e.witness(jobAwait)
	control := e.terminate(ctx, &sandbox.Confinement{Argv: c.argv})
	if control.err != nil || !control.handled() {
		return errors.Join(control.err, uncontrolled(control.Ended))
	}
	host := sandbox.Host{FirstFD: execFD}
	confinement, err := e.provider.Confine(ctx, sandbox.Request{Argv: c.argv, Dir: c.dir, Policy: e.policy(), Host: host})
	if errors.Is(err, sandbox.ErrUnavailable) || err == nil && confinement.Status == nil {
		e.passOver("there is no runner that reports")
		return nil
	}
	if err == nil {
		err = confinement.Check(host)
	}
	if err != nil {
		return err
	}
	got := e.terminate(ctx, confinement)
	if got.err != nil || !got.handled() {
		e.breach("sent to the group of process %d, error %v: exit code %d, stdout %q, stderr %q",
			got.leader, got.err, got.ExitCode, got.Stdout, got.Stderr)
	}
	e.checkIncomplete(confinement.Status, got.Status)
	return nil
}

// checkIncomplete gives the function every beginning of a report: a number
// that was cut short must not be taken for a process.
func (e *examination) checkIncomplete(status *sandbox.Status, report []byte) {
	if status.Leader == nil {
		return
	}
	whole := status.Leader(report)
	for n := range report {
		if pid := status.Leader(report[:n]); pid != 0 && pid != whole {
			e.breach("of the report %q it names %d, and of its beginning %q %d", report, whole, report[:n], pid)
			return
		}
	}
}

// termination is what became of a command that was asked to end.
type termination struct {
	Ended
	leader int
	err    error
}

// handled reports whether the command heard of it and ended in its own way.
func (t termination) handled() bool {
	return t.ExitCode == codeDone && t.Stdout == readyLine+handledLine
}

// How long a command may take to be ready and to end, and a runner to name it
// to a spawner that knows that it is.
const (
	leaderLimit = patience
	nameLimit   = 2 * time.Second
	nap         = 5 * time.Millisecond
)

// terminate starts a confinement as the leader of a session, and asks its
// command to end once it is ready.
func (e *examination) terminate(ctx context.Context, c *sandbox.Confinement) (t termination) {
	ctx, cancel := context.WithTimeout(ctx, leaderLimit)
	defer cancel()
	w := watch{attributes: &syscall.SysProcAttr{Setsid: true}}
	w.during = func(pid int, stdout, status *stream) {
		until(ctx, leaderLimit, func() bool { return strings.Contains(stdout.String(), readyLine) })
		t.leader = pid
		if c.Status != nil && c.Status.Leader != nil {
			until(ctx, nameLimit, func() bool {
				named := c.Status.Leader([]byte(status.String()))
				if named != 0 {
					t.leader = named
				}
				return named != 0
			})
		}
		if t.err = signalGroup(t.leader, pid); t.err != nil {
			_ = signalGroup(pid, pid) // so that it ends at all
		}
	}
	var err error
	t.Ended, err = runWatched(ctx, Launch{Confinement: c, Dir: e.workspace()}, w)
	t.err = errors.Join(t.err, err)
	return t
}

// until waits for a condition, but not for ever.
func until(ctx context.Context, limit time.Duration, condition func() bool) {
	for end := time.Now().Add(limit); !condition() && ctx.Err() == nil && time.Now().Before(end); {
		time.Sleep(nap)
	}
}

// signalGroup sends the polite signal to the group of a process, but only if
// that is the one that was started or comes from it.
func signalGroup(leader, started int) error {
	for pid := leader; pid != started; {
		if pid <= 1 {
			return fmt.Errorf("process %d does not come from the one that was started, %d", leader, started)
		}
		var err error
		if pid, err = parentOf(pid); err != nil {
			return err
		}
	}
	return os.NewSyscallError("kill", syscall.Kill(-leader, syscall.SIGTERM))
}

// parentOf reads the number behind the name, which may hold anything, and the
// state (proc_pid_stat(5)).
func parentOf(pid int) (int, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	return strconv.Atoi(fields[1])
}
