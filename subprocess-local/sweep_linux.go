package subprocesslocal

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// sweep looks through the process table for the members of trees.
type sweep struct {
	service   string
	signalled func(pid int) // told of every process that was signalled; may be nil
	self      int
	sessions  map[int]*tree    // whose number is certainly that of the tree's leader
	cookies   map[string]*tree // by the start's id
	strays    *tree            // what carries any cookie of the service
	buf       []byte
}

func newSweep(service string) *sweep {
	return &sweep{service: service, self: os.Getpid(), buf: make([]byte, 16<<10)}
}

// visit marks the trees that have members and sends these the signals of the
// tree's phase.
func (s *sweep) visit(trees []*tree) error {
	proc, err := os.Open("/proc")
	if err != nil {
		return err
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return err
	}
	s.index(trees)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != s.self {
			s.look(pid)
		}
	}
	return nil
}

func (s *sweep) index(trees []*tree) {
	s.sessions, s.cookies, s.strays = map[int]*tree{}, map[string]*tree{}, nil
	for _, t := range trees {
		if t.leader == nil {
			s.strays = t
			continue
		}
		s.cookies[t.cookie] = t
		if t.leader.pinned() {
			s.sessions[t.leader.pid] = t
		}
	}
}

// look finds the tree of one process and treats it as the tree's phase wants.
// A member of the leader's group is not signalled here if the group could be
// signalled as a whole.
func (s *sweep) look(pid int) {
	t := s.treeOf(pid)
	if t == nil {
		return
	}
	t.seen = true
	group, err := unix.Getpgid(pid)
	if err != nil || t.leader != nil && group == t.leader.pid && s.sessions[group] == t {
		return
	}
	switch {
	case t.phase == killing:
		s.signal(t, pid, unix.SIGKILL)
	case t.phase == asking && !t.asked[group]:
		s.signal(t, pid, unix.SIGTERM, unix.SIGCONT)
		t.fresh = append(t.fresh, group)
	}
}

// treeOf is the tree to which a process that has not ended belongs, or nil.
func (s *sweep) treeOf(pid int) *tree {
	session, err := unix.Getsid(pid)
	if err != nil {
		return nil
	}
	if t := s.sessions[session]; t != nil {
		if isZombie(pid) {
			return nil
		}
		return t
	}
	for id := range cookies(s.environ(pid), s.service) {
		if t := s.cookies[string(id)]; t != nil {
			return t
		}
		if s.strays != nil {
			return s.strays
		}
	}
	return nil
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
	if s.treeOf(pid) != t {
		return
	}
	if s.signalled != nil {
		s.signalled(pid)
	}
	for _, signal := range signals {
		unix.PidfdSendSignal(pidfd, signal, nil, 0)
	}
}

// environ is the environment with which a process was started, or what it has
// written over it. It is empty for a zombie and for a process that we may not
// look at. The bytes are good until the next call.
func (s *sweep) environ(pid int) []byte {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/environ", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	held := 0
	for {
		if held == len(s.buf) {
			s.buf = append(s.buf, make([]byte, len(s.buf))...)
		}
		n := attempt(func() (int, error) { return unix.Read(fd, s.buf[held:]) })
		if n == 0 {
			return s.buf[:held]
		}
		held += n
	}
}

// signalReported signals the group of a process that a runner reported. Ours
// says that it leads one and is verifiably a child of the leader or in its tree;
// signalled, that the kernel can signal the group of a pidfd (Linux 6.9).
// Without that, the sweep reaches the members one by one.
func signalReported(t *tree, pid int, service string, signals ...syscall.Signal) (ours, signalled bool) {
	pidfd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false, false
	}
	defer unix.Close(pidfd)
	if group, err := unix.Getpgid(pid); err != nil || group != pid {
		return false, false
	}
	look := newSweep(service)
	look.index([]*tree{t})
	if parentOf(pid) != t.leader.pid && look.treeOf(pid) != t {
		return false, false
	}
	for _, signal := range signals {
		if unix.PidfdSendSignal(pidfd, signal, nil, unix.PIDFD_SIGNAL_PROCESS_GROUP) != nil {
			return true, false
		}
	}
	return true, true
}

// statFields returns what follows the name of the program in /proc/PID/stat:
// state, parent, group and so on (proc_pid_stat(5)). The name can hold any
// byte, but no later field holds a parenthesis.
func statFields(pid int) [][]byte {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	return bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
}

// isZombie reports whether a process has ended but for its parent's wait.
func isZombie(pid int) bool {
	fields := statFields(pid)
	return len(fields) == 0 || fields[0][0] == 'Z' || fields[0][0] == 'X'
}

func parentOf(pid int) int {
	fields := statFields(pid)
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}
