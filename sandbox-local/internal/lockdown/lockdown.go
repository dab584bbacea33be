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
	// Filter refuses the system calls that change a file without writing it.
	// Where there is no filter for the machine it changes nothing: see
	// [FilterSupported].
	Filter bool
}

// FilterSupported reports whether [Plan.Filter] has an effect here.
func FilterSupported() bool { return sysfilter.Supported() }

// filter is how the system-call filter completes what the kernel's Landlock
// governs.
func (p Plan) filter() sysfilter.Options {
	return sysfilter.Options{Errno: syscall.EACCES, Truncation: p.Kernel.ABI < landlock.ABITruncate}
}

// Apply confines the calling thread, and every process that it starts. The
// caller has locked the thread and never unlocks it. When it fails nothing
// must be started from the thread.
func (p Plan) Apply() error { return p.apply() }

// OnThread runs f on an operating-system thread of its own that is destroyed
// afterwards, so that f may confine it.
func OnThread(f func() error) error { return onThread(f) }
