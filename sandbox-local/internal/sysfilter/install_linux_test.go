package sysfilter

import (
	"errors"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkInstall is what the filter adds to a start.
func BenchmarkInstall(b *testing.B) {
	filter, err := New(Options{Errno: syscall.EACCES})
	if err != nil {
		b.Skip(err)
	}
	var spent time.Duration
	for b.Loop() {
		took, err := onThread(filter.Install)
		if err != nil {
			b.Fatal(err)
		}
		spent += took
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/install")
	b.ReportMetric(float64(len(filter.program)), "instructions")
}

// onThread says how long f took on a thread that ends with it.
func onThread(f func() error) (took time.Duration, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() { // the main thread does not end
			took, err = onThread(f)
			runtime.UnlockOSThread()
			return
		}
		err = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		start := time.Now()
		err = errors.Join(err, f())
		took = time.Since(start)
	}()
	<-done
	return took, err
}
