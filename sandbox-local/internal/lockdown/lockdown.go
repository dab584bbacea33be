// Package lockdown confines one operating-system thread for good: its
// capabilities, its Landlock domain and its system calls, in the order in
// which they do not stand in each other's way.
package lockdown

import (
	"syscall"

	"github.com/dsh-go/dsh/sandbox-local/internal/landlock"
	"github.com/dsh-go/dsh/sandbox-local/internal/sysfilter"
)

// Plan is what a thread is confined to.
type Plan struct {
	Kernel landlock.Kernel
	Grants landlock.Grants
	// Filter, if not nil, refuses the system calls that change a file without
	// writing it.
	Filter *sysfilter.Filter
}

// FilterFor returns the system-call filter that completes what a kernel's
// Landlock governs, or nil if there is none for this machine.
func FilterFor(kernel landlock.Kernel) *sysfilter.Filter {
	filter, err := sysfilter.New(sysfilter.Options{
		Errno:      syscall.EACCES,
		Truncation: kernel.ABI < landlock.ABITruncate,
	})
	if err != nil {
		return nil
	}
	return filter
}

// Apply confines the calling thread, and every process that it starts. The
// caller has locked the thread and never unlocks it. When it fails nothing
// must be started from the thread.
func (p Plan) Apply() error { return p.apply() }

// OnThread runs f on an operating-system thread of its own that is destroyed
// afterwards, so that f may confine it.
func OnThread(f func() error) error { return onThread(f) }
