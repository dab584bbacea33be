package subprocesslocal

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// leader is a process that this program started, as the leader of a session
// and process group. Until it is reaped its number, which is also that of the
// group, cannot be used again. Afterwards the group is reached through the
// pidfd alone, which never means anybody else.
type leader struct {
	pid int

	mu     sync.Mutex // orders signals to the number against the reaping
	ended  bool       // acknowledged
	reaped bool
	pidfd  *os.File // nil on a kernel without (before 5.3) and once released
}

// forkExec starts argv in a session of its own.
func forkExec(argv []string, attr *syscall.ProcAttr) (*leader, error) {
	sealDescriptors()
	pidfd := -1
	own := *attr
	own.Sys = &syscall.SysProcAttr{Setsid: true, PidFD: &pidfd}
	pid, err := syscall.ForkExec(argv[0], argv, &own)
	if err != nil {
		return nil, err
	}
	return newLeader(pid, pidfd), nil
}

// newLeader puts the pidfd into the runtime's poller, so that waiting for an
// idle process occupies no thread.
func newLeader(pid, pidfd int) *leader {
	l := &leader{pid: pid}
	if pidfd < 0 {
		return l
	}
	if err := unix.SetNonblock(pidfd, true); err != nil {
		unix.Close(pidfd)
		return l
	}
	l.pidfd = os.NewFile(uintptr(pidfd), "pidfd")
	return l
}

// wait waits for the leader to end and leaves it unreaped. Only the goroutine
// that supervises the process calls it, once, and then acknowledge.
func (l *leader) wait() (exit, error) {
	var end exit
	var err error
	ended := func(uintptr) bool {
		var info unix.Siginfo
		err = waitid(l.pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG)
		if err == nil && info.Signo == 0 {
			return false
		}
		end = exitOf(&info)
		return true
	}
	if !l.poll(ended) {
		var info unix.Siginfo
		err = waitid(l.pid, &info, unix.WEXITED|unix.WNOWAIT)
		end = exitOf(&info)
	}
	if err == unix.ECHILD {
		l.lose()
		return end, ErrStatusLost
	}
	return end, os.NewSyscallError("waitid", err)
}

// poll calls ended whenever the pidfd tells of something until it is true. It
// is false if there is no pidfd that could be polled.
func (l *leader) poll(ended func(uintptr) bool) bool {
	if l.pidfd == nil {
		return false
	}
	conn, err := l.pidfd.SyscallConn()
	return err == nil && conn.Read(ended) == nil
}

// lose is for a leader that somebody else reaped.
func (l *leader) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reaped = true
}

// exited reports whether the leader has ended, even if wait does not know yet.
func (l *leader) exited() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return true
	}
	var info unix.Siginfo
	err := waitid(l.pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG)
	return err != nil || info.Signo != 0
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
		if err := l.signalByPidfd(signal); err != errNoGroupSignal {
			continue
		}
		if !l.reaped {
			unix.Kill(-l.pid, signal)
		}
	}
}

// pinned reports whether the leader's number is certainly still that of its
// group, because the leader is not reaped or the group has members.
func (l *leader) pinned() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.reaped {
		return true
	}
	err := l.signalByPidfd(0)
	return err == nil || err == unix.EPERM
}

// retire reaps a leader that ended by itself, and reports whether nothing of
// its group is left that could be signalled.
func (l *leader) retire() bool {
	l.reap()
	return !l.pinned()
}

// release gives up the pidfd, and with it the group.
func (l *leader) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pidfd != nil {
		l.pidfd.Close()
		l.pidfd = nil
	}
}

// errNoGroupSignal says that a group cannot be signalled through a pidfd: the
// kernel is older than 6.9, or there is no pidfd.
var errNoGroupSignal = errors.New("no group signal through a pidfd")

// signalByPidfd signals the group that the leader leads or led. The caller
// holds mu.
func (l *leader) signalByPidfd(signal syscall.Signal) error {
	if l.pidfd == nil {
		return errNoGroupSignal
	}
	conn, err := l.pidfd.SyscallConn()
	if err != nil {
		return errNoGroupSignal
	}
	var sent error
	err = conn.Control(func(fd uintptr) {
		sent = unix.PidfdSendSignal(int(fd), signal, nil, unix.PIDFD_SIGNAL_PROCESS_GROUP)
	})
	if err != nil || sent == unix.EINVAL || sent == unix.ENOSYS {
		return errNoGroupSignal
	}
	return sent
}

func waitid(pid int, info *unix.Siginfo, options int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, info, options, nil)
		if err != unix.EINTR {
			return err
		}
	}
}

// The values of si_code for a child that ended (sigaction(2)).
const (
	cldExited = 1
	cldKilled = 2
	cldDumped = 3
)

// exitOf reads what waitid(2) stored. x/sys declares only the head that all
// kinds of siginfo_t share; for a child follow si_pid, si_uid and si_status,
// aligned like a pointer.
func exitOf(info *unix.Siginfo) exit {
	const (
		head   = 3 * unsafe.Sizeof(int32(0))
		align  = unsafe.Alignof(uintptr(0))
		status = (head+align-1)&^(align-1) + 2*unsafe.Sizeof(int32(0))
	)
	value := *(*int32)(unsafe.Add(unsafe.Pointer(info), status))
	switch info.Code {
	case cldKilled, cldDumped:
		return exit{code: -1, signal: syscall.Signal(value)}
	case cldExited:
		return exit{code: int(value)}
	default:
		return exit{code: -1}
	}
}
