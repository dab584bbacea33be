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
	service string
	self    int
	groups  map[int]*tree    // whose group number is certainly theirs
	cookies map[string]*tree // by the start's id
	strays  *tree            // what carries any cookie of the service
	buf     []byte
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
	s.groups, s.cookies, s.strays = map[int]*tree{}, map[string]*tree{}, nil
	for _, t := range trees {
		if t.leader == nil {
			s.strays = t
			continue
		}
		s.cookies[t.cookie] = t
		if t.leader.pinned() {
			s.groups[t.leader.pid] = t
		}
	}
}

// look finds the trees of one process. A member of the leader's group is not
// signalled here, because the group was signalled as a whole.
func (s *sweep) look(pid int) {
	group, err := unix.Getpgid(pid)
	if err != nil {
		return
	}
	if t := s.groups[group]; t != nil {
		t.seen = t.seen || !isZombie(pid)
		return
	}
	for id := range cookies(s.environ(pid), s.service) {
		t := s.cookies[string(id)]
		if t == nil {
			t = s.strays
		}
		if t != nil {
			t.seen = true
			s.signal(t, string(id), pid, group)
			return
		}
	}
}

// signal treats a process that carries the cookie of a start.
func (s *sweep) signal(t *tree, id string, pid, group int) {
	switch {
	case t.phase == killing:
		s.signalCarrier(id, pid, unix.SIGKILL)
	case t.phase == asking && !t.asked[group]:
		s.signalCarrier(id, pid, unix.SIGTERM, unix.SIGCONT)
		t.fresh = append(t.fresh, group)
	}
}

// signalCarrier signals the process if, with a pidfd in hand, it is still one
// that carries the cookie. Where there are no pidfds nothing is signalled, for
// the number may mean another process by now.
func (s *sweep) signalCarrier(id string, pid int, signals ...syscall.Signal) {
	pidfd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(pidfd)
	if !s.carries(pid, id) {
		return
	}
	for _, signal := range signals {
		unix.PidfdSendSignal(pidfd, signal, nil, 0)
	}
}

func (s *sweep) carries(pid int, id string) bool {
	for found := range cookies(s.environ(pid), s.service) {
		if string(found) == id {
			return true
		}
	}
	return false
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
// says that it leads one and is verifiably a child of the leader or carries the
// cookie; signalled, that the kernel can signal the group of a pidfd (Linux 6.9).
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
	if parentOf(pid) != t.leader.pid && !newSweep(service).carries(pid, t.cookie) {
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
