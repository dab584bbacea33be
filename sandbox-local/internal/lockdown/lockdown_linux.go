package lockdown

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/dsh-go/dsh/sandbox-local/internal/capability"
)

func (p Plan) apply() error {
	if err := capability.Drop(); err != nil {
		return err
	}
	if err := p.Kernel.Enforce(p.Grants); err != nil {
		return err
	}
	if p.Filter == nil {
		return nil
	}
	return p.Filter.Install()
}

// onThread starts a goroutine that locks its thread and ends without unlocking
// it, on which the runtime destroys the thread. The main thread cannot be
// destroyed: a goroutine that finds itself there keeps it busy while another
// one does the work.
func onThread(f func() error) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == os.Getpid() {
			result <- onThread(f)
			runtime.UnlockOSThread()
			return
		}
		result <- f()
	}()
	return <-result
}
