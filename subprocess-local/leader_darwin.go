package subprocesslocal

import (
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// leader is a process that this program started, as the leader of a session
// and process group. Until it is reaped its number, which is also that of the
// group, cannot be used again; afterwards nothing is signalled by it.
type leader struct {
	pid int

	mu     sync.Mutex // orders signals to the number against the reaping
	ended  bool       // acknowledged
	reaped bool
}

// forkExec starts argv in a session of its own.
func forkExec(argv []string, attr *syscall.ProcAttr) (*leader, error) {
	sealDescriptors()
	own := *attr
	own.Sys = &syscall.SysProcAttr{Setsid: true}
	pid, err := syscall.ForkExec(argv[0], argv, &own)
	if err != nil {
		return nil, err
	}
	return &leader{pid: pid}, nil
}

// wait waits for the leader to end and leaves it unreaped: the exit status
// comes with the event (kqueue(2), NOTE_EXITSTATUS). It occupies a thread. Only
// the goroutine that supervises the process calls it, once, and then
// acknowledge.
func (l *leader) wait() (exit, error) {
	queue, err := unix.Kqueue()
	if err != nil {
		return l.waitReaping()
	}
	defer unix.Close(queue)
	change := []unix.Kevent_t{{Fflags: unix.NOTE_EXIT | unix.NOTE_EXITSTATUS}}
	unix.SetKevent(&change[0], l.pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	event := make([]unix.Kevent_t, 1)
	n, err := kevent(queue, change, event)
	if err == nil && n == 1 && event[0].Flags&unix.EV_ERROR == 0 {
		return exitOf(unix.WaitStatus(event[0].Data)), nil
	}
	return l.waitReaping() // it had ended before the event could be asked for
}

func kevent(queue int, changes, events []unix.Kevent_t) (int, error) {
	for {
		n, err := unix.Kevent(queue, changes, events, nil)
		if err != unix.EINTR {
			return n, err
		}
	}
}

// waitReaping takes the status of a leader for which no event comes, which
// also reaps it. Its group cannot be signalled afterwards.
func (l *leader) waitReaping() (exit, error) {
	const interval = 10 * time.Millisecond
	for {
		end, ended, err := l.tryReaping()
		if ended {
			return end, err
		}
		time.Sleep(interval)
	}
}

func (l *leader) tryReaping() (end exit, ended bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var status unix.WaitStatus
	pid, err := unix.Wait4(l.pid, &status, unix.WNOHANG, nil)
	switch {
	case err == nil && pid == 0, err == unix.EINTR:
		return exit{}, false, nil
	case err == unix.ECHILD:
		err = ErrStatusLost
	case err == nil:
		end = exitOf(status)
	}
	l.reaped = true
	return end, true, err
}

func exitOf(status unix.WaitStatus) exit {
	if status.Signaled() {
		return exit{code: -1, signal: status.Signal()}
	}
	return exit{code: status.ExitStatus()}
}

// exited reports whether the leader has ended, even if wait does not know yet.
func (l *leader) exited() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended || l.reaped || isZombie(l.pid)
}

// reap takes the exit status of a leader whose end was acknowledged, which
// frees its number.
func (l *leader) reap() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reaped {
		return
	}
	l.reaped = true
	for {
		if _, err := unix.Wait4(l.pid, nil, 0, nil); err != unix.EINTR {
			return
		}
	}
}

// signalGroup sends signals to the leader's group, if it is certain that the
// group is still the leader's.
func (l *leader) signalGroup(signals ...syscall.Signal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, signal := range signals {
		if !l.reaped {
			unix.Kill(-l.pid, signal)
		}
	}
}

// pinned reports whether the leader's number is certainly still that of its
// group.
func (l *leader) pinned() bool { return !l.isReaped() }

// retire reaps a leader that ended by itself once its group has no other
// member, and reports whether it has none. Until then only the unreaped leader
// keeps the group's number from being used again.
func (l *leader) retire() bool {
	alive, err := groupAlive(l.pid)
	if alive && err == nil && !l.isReaped() {
		return false
	}
	l.reap()
	return true
}

// release has nothing to give up on this system.
func (l *leader) release() {}
