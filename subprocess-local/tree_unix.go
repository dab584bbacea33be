//go:build linux || darwin

package subprocesslocal

import (
	"time"

	"golang.org/x/sys/unix"
)

// phase is what is done to the members of a tree.
type phase int

const (
	watching phase = iota // nothing; somebody waits for their end
	asking                // a polite signal, once per group
	killing
)

// tree is a start's process group and, on Linux, its session and every process
// that carries the start's cookie.
type tree struct {
	cookie string  // the start's id; empty for all starts of the service
	leader *leader // nil for all starts of the service
	gone   chan struct{}
	onGone func()

	// Guarded by terminator.mu.
	wanted   phase
	patience *time.Timer // turns asking into killing
	watchers int
	over     bool // gone is closed

	// reported is the process that a runner named for the polite signal, or 0
	// while it has named none. The function is nil without such a runner.
	reported func() int

	// Guarded by terminator.mu until the tree is handed to the terminator's
	// goroutine, and then used by that alone.
	held   bool  // the polite signal waits for the runner to start the command
	served []int // groups that got the polite signal as a whole

	// Used by the terminator's goroutine alone.
	phase phase
	asked map[int]bool // groups that got the polite signal in an earlier pass
	fresh []int        // and in this one
	seen  bool         // a member was seen in this pass
	clean int          // passes in a row without one
}

// ask sends the polite signal to the leader's group, or to that of the process
// that a runner reports. A stopped process gets it only once it continues.
func (t *tree) ask() {
	if t.leader.pinned() {
		t.served = []int{t.leader.pid}
	}
	t.held = t.reported != nil
	if t.held {
		t.askReported()
	} else {
		t.leader.signalGroup(unix.SIGTERM, unix.SIGCONT)
	}
}

// askReported sends the polite signal to the group of the process that a runner
// reported, if that is verifiably the runner's, else to the leader's group.
// Before the runner has started the command nothing is sent: the signal would
// be lost on the runner, and the command would not hear of it.
func (t *tree) askReported() {
	pid := t.reported()
	if !t.leader.exited() && (pid == 0 || !hasChildren(pid)) {
		return
	}
	t.held = false
	ours, signalled := signalReported(t, pid, unix.SIGTERM, unix.SIGCONT)
	if signalled {
		t.served = append(t.served, pid)
	}
	if !ours {
		t.leader.signalGroup(unix.SIGTERM, unix.SIGCONT)
	}
}

// begin readies the tree for one pass.
func (t *tree) begin() {
	t.fresh = t.fresh[:0]
	t.seen = t.leader != nil && !t.leader.waited()
	if t.phase == asking && t.held {
		t.askReported()
	}
	if t.asked == nil {
		t.asked = map[int]bool{}
	}
	for _, group := range t.served {
		t.asked[group] = true
	}
	t.served = nil
	if t.phase == killing {
		t.kill() // something may have joined the group
	}
}

// kill ends the leader's group by force. It needs no pass, so nothing that a
// command does to the process table can put it off.
func (t *tree) kill() {
	if t.leader != nil {
		t.leader.signalGroup(unix.SIGKILL)
	}
}

// end reports, after a pass, whether the tree is gone: a process that forks
// and ends can slip through one pass, so two in a row must find nothing.
func (t *tree) end() bool {
	for _, group := range t.fresh {
		t.asked[group] = true
	}
	if t.seen {
		t.clean = 0
		return false
	}
	t.clean++
	return t.clean >= 2
}
