package subprocesslocal

import (
	"errors"
	"runtime"

	"golang.org/x/sys/unix"
)

// onDoomedThread runs f on a thread that did nothing for this program since it
// was locked and that ends afterwards, because the goroutine exits while it is
// locked. The main thread cannot end, so it is never used: if the goroutine
// finds itself there, it keeps the thread busy while another one, which is then
// certainly on a different thread, does the work.
func onDoomedThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			onOtherThread(f)
			runtime.UnlockOSThread()
			return
		}
		f()
	}()
	<-done
}

func onOtherThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		f()
	}()
	<-done
}

var errNoReturn = errors.New("the restriction did not return")

// restricted runs fork on a thread that restrict has confined. It returns the
// error of restrict, after which nothing was forked.
func restricted(restrict func() error, fork func()) error {
	err := errNoReturn // unless runtime.Goexit ends the goroutine
	onDoomedThread(func() {
		if err = restrict(); err == nil {
			fork()
		}
	})
	return err
}
