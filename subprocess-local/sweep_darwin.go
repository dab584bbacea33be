package subprocesslocal

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// zombieState is SZOMB of <sys/proc.h>.
const zombieState = 5

// sweep finds the members of process groups. Environments of other processes
// cannot be relied on here, so what left the group is not found.
type sweep struct {
	signalled func(pid int) // never called: only groups are signalled
}

func newSweep(string) *sweep { return &sweep{} }

// visit marks the trees that have members. They are signalled as groups.
func (s *sweep) visit(trees []*tree) error {
	for _, t := range trees {
		if t.leader == nil || !t.leader.pinned() {
			continue
		}
		alive, err := groupAlive(t.leader.pid)
		if err != nil {
			return err
		}
		t.seen = t.seen || alive
	}
	return nil
}

// groupAlive reports whether a group has members that have not ended.
func groupAlive(group int) (bool, error) {
	members, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", group)
	if err != nil {
		return false, err
	}
	for _, member := range members {
		if member.Proc.P_stat != zombieState {
			return true, nil
		}
	}
	return false, nil
}

// signalReported signals the group of a process that a runner reported, if
// that leads one and is a child of the leader.
func signalReported(t *tree, pid int, signals ...syscall.Signal) (ours, signalled bool) {
	process, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(process.Eproc.Ppid) != t.leader.pid || int(process.Eproc.Pgid) != pid {
		return false, false
	}
	for _, signal := range signals {
		unix.Kill(-pid, signal)
	}
	return true, true
}

// hasChildren always holds: no runner here reports before it starts the
// command.
func hasChildren(int) bool { return true }

// isZombie reports whether a process has ended but for its parent's wait.
func isZombie(pid int) bool {
	process, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err != nil || process.Proc.P_stat == zombieState
}
