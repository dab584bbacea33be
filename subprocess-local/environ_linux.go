package subprocesslocal

import (
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long the read of one environment may take. It takes a few
// microseconds, unless the process's memory is locked by a page fault that does
// not end (a file system that hangs, or one that a command provides).
const patience = time.Second

// cookieReader finds the cookies of a service in the environments of other
// processes. A process whose environment cannot be read is left to itself and
// not tried again. It is for one goroutine.
type cookieReader struct {
	service string
	read    func(pid int, buf []byte) []byte
	stuck   map[int]string // processes that are not tried, and when they began
}

// of returns, for each process, the ids of the starts whose cookies it carries.
func (r *cookieReader) of(pids ...int) [][]string {
	found := make([][]string, 0, len(pids))
	for len(found) < len(pids) {
		found = append(found, r.some(pids[len(found):])...)
	}
	return found
}

// some does the same for as many of the processes as can be read.
func (r *cookieReader) some(pids []int) [][]string {
	reading := &reading{found: make([][]string, len(pids)), finished: make(chan struct{})}
	go reading.run(r.service, r.read, r.tried(pids))
	timer := time.NewTicker(patience)
	defer timer.Stop()
	for last := int64(-1); ; {
		select {
		case <-reading.finished:
			return reading.found
		case <-timer.C:
			at := reading.at.Load()
			if at == last && at < int64(len(pids)) {
				reading.abandoned.Store(true)
				r.skip(pids[at])
				return append(reading.found[:at:at], nil)
			}
			last = at
		}
	}
}

// tried replaces by 0 the processes that are not to be tried.
func (r *cookieReader) tried(pids []int) []int {
	if len(r.stuck) == 0 {
		return pids
	}
	tried := make([]int, len(pids))
	for i, pid := range pids {
		if began, ok := r.stuck[pid]; !ok || began != startTime(pid) {
			tried[i] = pid
		}
	}
	return tried
}

func (r *cookieReader) skip(pid int) {
	if r.stuck == nil {
		r.stuck = map[int]string{}
	}
	r.stuck[pid] = startTime(pid)
}

// reading is a goroutine's way through some processes. It may be left behind
// in a read that does not come back.
type reading struct {
	found     [][]string
	at        atomic.Int64 // what is before it is found and does not change
	abandoned atomic.Bool
	finished  chan struct{}
}

func (r *reading) run(service string, read func(int, []byte) []byte, pids []int) {
	defer close(r.finished)
	chunk := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(chunk)
	for i, pid := range pids {
		if pid != 0 {
			environ := r.settled(pid, read, chunk[:])
			if r.abandoned.Load() {
				return
			}
			for id := range cookies(environ, service) {
				r.found[i] = append(r.found[i], string(id))
			}
		}
		r.at.Store(int64(i) + 1)
	}
}

// settled is the environment of a process, once a program that is just being
// executed has one, or a process that is just ending has ended.
func (r *reading) settled(pid int, read func(int, []byte) []byte, buf []byte) []byte {
	const tries = 100
	for range tries {
		environ := read(pid, buf)
		if environ == nil || len(environ) > 0 || r.abandoned.Load() || !between(pid) {
			return environ
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// readEnviron is the environment with which a process was started, or what it
// has written over it, in buf or a larger buffer. It is empty for a zombie, and
// nil for a process that is gone or that we may not look at.
func readEnviron(pid int, buf []byte) []byte {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/environ", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	switch err {
	case nil:
	case unix.ESRCH: // its memory is gone
		return buf[:0]
	default:
		return nil
	}
	defer unix.Close(fd)
	held := 0
	for {
		if held == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
		n := attempt(func() (int, error) { return unix.Read(fd, buf[held:]) })
		if n == 0 {
			return buf[:held]
		}
		held += n
	}
}
