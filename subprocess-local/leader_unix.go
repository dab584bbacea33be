//go:build linux || darwin

package subprocesslocal

import (
	"fmt"
	"syscall"

	"github.com/dsh-go/dsh/bash/subprocess"
	"golang.org/x/sys/unix"
)

// exit is how a process ended.
type exit struct {
	code   int
	signal syscall.Signal // 0 if it exited
}

// outcome is the exit in the words of the seam.
func (e exit) outcome(terminated bool) subprocess.Outcome {
	if e.signal != 0 {
		return subprocess.Outcome{ExitCode: -1, Signal: signalName(e.signal), Terminated: terminated}
	}
	return subprocess.Outcome{ExitCode: e.code, Terminated: terminated}
}

// signalName also names signals that have no name of their own.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", int(s))
}

// acknowledge says that wait has returned and its result is recorded.
func (l *leader) acknowledge() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}

// waited reports whether the end was acknowledged, so that the leader may be
// reaped.
func (l *leader) waited() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// isReaped reports whether the leader's number may mean another process.
func (l *leader) isReaped() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reaped
}
