package subprocesslocal

import (
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// orphans reaps descendants of starts that became children of this program
// because it is PID 1 or a child subreaper (prctl(2)). Otherwise it does
// nothing.
//
// It must not take the status of a child that somebody in this program waits
// for. Such a child was forked by this program, so it is in the program's own
// session or leads one; a child in a session that a start or its descendants
// began, but not the leader, is certainly an orphan. An orphan that leads a
// session is known by the cookie it carried while it ran. If it ended before it
// was seen, it stays unreaped rather than that somebody's status is taken,
// unless the program said that nobody else in it begins sessions
// ([Config.Subreaper]).
type orphans struct {
	// forking is held for reading while a leader exists that is not yet in
	// engine.live.
	forking sync.RWMutex
	all     atomic.Bool // every orphan of every start becomes a child of this program
	// elders are children from before the first start, and when they began: a
	// program keeps those that were started by what it was before (execve(2)).
	elders map[int]string

	mu       sync.Mutex
	sessions map[int]bool   // the sessions of starts and their descendants, also old ones
	adopted  map[int]string // orphans known by their cookie, and when they began
	quit     chan struct{}
	finished chan struct{}
}

// Deaths are gathered for a moment before children are looked at, and for
// longer before they are looked at again.
const (
	gatherFirst = time.Millisecond
	gatherMore  = 20 * time.Millisecond
)

// again is how long after the last death children are looked at once more: the
// kernel may leave children out of its lists while others end.
const again = 200 * time.Millisecond

// mostSessions is how many sessions are remembered before those that are gone
// are forgotten.
const mostSessions = 4096

// adoptAll makes this program a child subreaper. It is called before the first
// start.
func (o *orphans) adoptAll() {
	if !childless() {
		o.elders = map[int]string{}
		for _, pid := range children() {
			o.elders[pid] = startTime(pid)
		}
	}
	o.all.Store(unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil)
}

// none reports whether there is certainly no descendant of any start: each
// would be a child of this program or descend from one.
func (o *orphans) none() bool { return o.all.Load() && adopts() && childless() }

// childless reports whether this program has no children at all, also none
// that ended and are not reaped.
func childless() bool {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil)
		if err != unix.EINTR {
			return err == unix.ECHILD
		}
	}
}

// endRest kills, where every orphan is a child of this program, those that
// nothing else could find: they left their session and cleared their environment.
// Nobody may wait for children any more. It reports whether none is left.
func (o *orphans) endRest(limit time.Duration) (ended bool) {
	if !o.all.Load() {
		return true
	}
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if childless() || !o.killOrphanedChildren() {
			return true
		}
	}
	return false
}

// killOrphanedChildren kills and reaps the children in sessions that are not
// this program's own, but for the elders, and reports whether there were any.
// What they leave behind becomes a child in turn.
func (o *orphans) killOrphanedChildren() (found bool) {
	own, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	for _, pid := range children() {
		if session, err := unix.Getsid(pid); err == nil && session != own && !o.isElder(pid) {
			found = true
			unix.Kill(pid, unix.SIGKILL)
			unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
	return found
}

// isElder reports whether a child was there before the first start.
func (o *orphans) isElder(pid int) bool {
	began, known := o.elders[pid]
	return known && began == startTime(pid)
}

// hold keeps children from being looked at until the function returned is
// called.
func (o *orphans) hold() (release func()) {
	o.forking.RLock()
	return o.forking.RUnlock
}

// started says that e started a leader.
func (o *orphans) started(e *engine, pid int) {
	if !adopts() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.quit == nil {
		o.sessions, o.adopted = map[int]bool{}, map[int]string{}
		o.quit, o.finished = make(chan struct{}), make(chan struct{})
		go o.run(e, o.quit, o.finished)
	}
	o.sessions[pid] = true
}

// adopts reports whether orphans become children of this program.
func adopts() bool {
	if os.Getpid() == 1 {
		return true
	}
	var subreaper int32
	err := prctlGet(unix.PR_GET_CHILD_SUBREAPER, &subreaper)
	return err == nil && subreaper != 0
}

func (o *orphans) run(e *engine, quit, finished chan struct{}) {
	defer close(finished)
	deaths := make(chan os.Signal, 1)
	signal.Notify(deaths, unix.SIGCHLD)
	defer signal.Stop(deaths)
	known := &cookieReader{service: e.terminator.service, read: readEnviron}
	var later <-chan time.Time
	for {
		select {
		case <-deaths:
			rest(gatherFirst, quit)
			o.collect(e, known)
			rest(gatherMore, quit)
			later = time.After(again)
		case <-later:
			o.collect(e, known)
		case <-quit:
			o.collect(e, known)
			return
		}
	}
}

// rest waits until d has passed or quit is closed.
func rest(d time.Duration, quit <-chan struct{}) {
	select {
	case <-time.After(d):
	case <-quit:
	}
}

// stop reaps for the last time.
func (o *orphans) stop() {
	o.mu.Lock()
	quit, finished := o.quit, o.finished
	o.mu.Unlock()
	if quit != nil {
		close(quit)
		<-finished
	}
}

// note remembers a member of a tree that may become a child of this program.
// Afterwards it may end before it is seen as one.
func (o *orphans) note(pid int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.quit != nil {
		o.remember(pid)
	}
}

// remember takes a process for a descendant of a start. The caller holds mu.
func (o *orphans) remember(pid int) {
	o.adopted[pid] = startTime(pid)
	if session, err := unix.Getsid(pid); err == nil {
		o.sessions[session] = true
	}
}

// collect reaps the orphans that have ended.
func (o *orphans) collect(e *engine, known *cookieReader) {
	if childless() {
		return
	}
	o.forking.Lock()
	defer o.forking.Unlock()
	leaders := e.leaders()
	own, err := unix.Getsid(0)
	if err != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for progress := true; progress; { // one that is reaped leaves children and tells of their session
		progress = false
		for _, pid := range children() {
			if session, err := unix.Getsid(pid); err == nil && session != own && !leaders[pid] {
				progress = o.adopt(known, pid, session) || progress
			}
		}
	}
	o.forget()
}

// adopt remembers a child that shows that it is an orphan, for it may show it no
// longer when it ends. It reports whether it reaped the child.
func (o *orphans) adopt(known *cookieReader, pid, session int) bool {
	began, ok := o.adopted[pid]
	ours := o.all.Load() && !o.isElder(pid) || ok && began == startTime(pid) || session != pid && o.sessions[session]
	if !ours && len(known.of(pid)[0]) == 0 {
		return false
	}
	o.remember(pid)
	reaped, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
	return err == nil && reaped == pid
}

// forget drops what no longer exists.
func (o *orphans) forget() {
	for pid, began := range o.adopted {
		if startTime(pid) != began {
			delete(o.adopted, pid)
		}
	}
	if len(o.sessions) > mostSessions {
		o.forgetSessions()
	}
}

// forgetSessions keeps only the sessions that have processes.
func (o *orphans) forgetSessions() {
	pids, err := processes()
	if err != nil {
		return
	}
	old := o.sessions
	o.sessions = map[int]bool{}
	for _, pid := range pids {
		if session, err := unix.Getsid(pid); err == nil && old[session] {
			o.sessions[session] = true
		}
	}
}

// children are the children of this program (proc_pid_task(5)): each thread
// lists those that it forked or that were given to it.
func children() []int {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return nil
	}
	var pids []int
	for _, list := range lists {
		content, err := os.ReadFile(list)
		if err != nil {
			continue
		}
		for _, field := range strings.Fields(string(content)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
