package subprocesslocal

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sweep looks through the process table for the members of trees.
type sweep struct {
	signalled func(pid int) // told of every process that was signalled; may be nil
	self      int
	sessions  map[int]*tree    // whose number is certainly that of the tree's leader
	starts    map[string]*tree // by the id in the cookie
	strays    *tree            // what carries any cookie of the service
	cookies   cookieReader
}

func newSweep(service string) *sweep {
	return &sweep{self: os.Getpid(), cookies: cookieReader{service: service, read: readEnviron}}
}

// visit marks the trees that have members and sends these the signals of the
// tree's phase.
func (s *sweep) visit(trees []*tree) error {
	pids, err := processes()
	if err != nil {
		return err
	}
	s.index(trees)
	others := pids[:0]
	for _, pid := range pids {
		if t, certain := s.treeBySession(pid); t != nil {
			s.treat(t, pid)
		} else if !certain && pid != s.self {
			others = append(others, pid)
		}
	}
	for i, ids := range s.cookies.of(others...) {
		if t := s.treeByCookie(ids); t != nil {
			s.treat(t, others[i])
		}
	}
	return nil
}

func (s *sweep) index(trees []*tree) {
	s.sessions, s.starts, s.strays = map[int]*tree{}, map[string]*tree{}, nil
	for _, t := range trees {
		if t.leader == nil {
			s.strays = t
			continue
		}
		s.starts[t.cookie] = t
		if t.leader.pinned() {
			s.sessions[t.leader.pid] = t
		}
	}
}

// treeBySession is the tree in whose session a process is, or nil. Certain says
// that nothing else about the process matters.
func (s *sweep) treeBySession(pid int) (t *tree, certain bool) {
	session, err := unix.Getsid(pid)
	if err != nil || session == 0 {
		return nil, true // it is gone, of the kernel, or from outside of this PID namespace
	}
	if t = s.sessions[session]; t != nil && isZombie(pid) {
		return nil, true
	}
	return t, t != nil
}

// treeByCookie is the tree to which one of the cookies belongs, or nil.
func (s *sweep) treeByCookie(ids []string) *tree {
	for _, id := range ids {
		if t := s.starts[id]; t != nil {
			return t
		}
	}
	if len(ids) > 0 {
		return s.strays
	}
	return nil
}

// treat does to a member of a tree what the tree's phase wants. A member of the
// leader's group is not signalled here if the group could be signalled as a
// whole.
func (s *sweep) treat(t *tree, pid int) {
	t.seen = true
	group, err := unix.Getpgid(pid)
	if err != nil || t.leader != nil && group == t.leader.pid && s.sessions[group] == t {
		return
	}
	switch {
	case t.phase == killing:
		s.signal(t, pid, unix.SIGKILL)
	case t.phase == asking && !t.held && !t.asked[group]:
		s.signal(t, pid, unix.SIGTERM, unix.SIGCONT)
		t.fresh = append(t.fresh, group)
	}
}

// signal signals a process if, with a pidfd in hand, it is still a member of
// the tree. Where there are no pidfds nothing is signalled, for the number may
// mean another process by now.
func (s *sweep) signal(t *tree, pid int, signals ...syscall.Signal) {
	pidfd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(pidfd)
	found, certain := s.treeBySession(pid)
	if !certain {
		found = s.treeByCookie(s.cookies.of(pid)[0])
	}
	if found != t {
		return
	}
	if s.signalled != nil {
		s.signalled(pid)
	}
	for _, signal := range signals {
		unix.PidfdSendSignal(pidfd, signal, nil, 0)
	}
}

// signalReported signals the group of a process that a runner reported. Ours
// says that it leads one and is verifiably a descendant of the leader;
// signalled, that the kernel can signal the group of a pidfd (Linux 6.9).
// Without that, the sweep reaches the members one by one.
func signalReported(t *tree, pid int, signals ...syscall.Signal) (ours, signalled bool) {
	pidfd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false, false
	}
	defer unix.Close(pidfd)
	if group, err := unix.Getpgid(pid); err != nil || group != pid || !descends(pid, t.leader.pid) {
		return false, false
	}
	for _, signal := range signals {
		if unix.PidfdSendSignal(pidfd, signal, nil, unix.PIDFD_SIGNAL_PROCESS_GROUP) != nil {
			return true, false
		}
	}
	return true, true
}
