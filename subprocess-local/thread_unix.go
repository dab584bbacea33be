//go:build linux || darwin

package subprocesslocal

import (
	"runtime"
	"sync"
)

// starter runs functions on one long-lived thread. A parent-death signal
// follows the thread that started a process and not the program (prctl(2),
// PR_SET_PDEATHSIG), so processes must not be started from a thread that
// happens to end. The zero value is ready to use.
type starter struct {
	once sync.Once
	jobs chan func()
}

// run runs f on the thread and waits for it.
func (s *starter) run(f func()) {
	s.once.Do(func() {
		s.jobs = make(chan func())
		go serveJobs(s.jobs)
	})
	done := make(chan struct{})
	s.jobs <- func() {
		defer close(done)
		f()
	}
	<-done
}

func serveJobs(jobs <-chan func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for job := range jobs {
		job()
	}
}

// stop gives the thread back. Nothing may be run afterwards.
func (s *starter) stop() {
	s.once.Do(func() {})
	if s.jobs != nil {
		close(s.jobs)
	}
}
