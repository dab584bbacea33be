// Package landlock builds Landlock rulesets and enforces them on one thread.
//
// Only write effects are handled, unless the grants name what may be read: an
// access that is not handled costs nothing. The rights are a fixed list, cut
// to what the kernel's ABI knows; nothing is enforced by best effort, which
// would silently enforce nothing when one rule does not fit the kernel.
package landlock

import (
	"errors"
	"fmt"
)

var (
	// ErrUnsupported means that the kernel has no Landlock.
	ErrUnsupported = errors.New("the kernel has no Landlock")
	// ErrDisabled means that the kernel has Landlock and does not use it.
	ErrDisabled = errors.New("the kernel's Landlock is not among the active security modules (lsm= on its command line)")
)

// Kernel is what the running kernel can enforce.
type Kernel struct {
	// ABI is the Landlock ABI version, at least 1.
	ABI int
	// ScopesSignals says that signals can be kept inside the domain without
	// keeping a thread from signalling its own process, which kernels before
	// the fix of erratum 2 do (landlock(7)).
	ScopesSignals bool
}

// Landlock ABI versions at which an effect becomes governable (landlock(7)).
const (
	ABIRefer        = 2 // renaming and linking between directories
	ABITruncate     = 3 // truncation by path
	ABIDeviceIoctls = 5 // ioctl(2) on devices
	abiScopes       = 6 // signals kept inside the domain
)

// Grants are the exceptions to the rule that nothing may be written.
type Grants struct {
	// Writable are the paths at and beneath which everything may be changed,
	// except that device nodes cannot be made. For a path that is not a
	// directory the rights of files are granted alone.
	Writable []string
	// Devices are files that may be written and controlled.
	Devices []string
	// Exact says that the writable paths are canonical. A symbolic link in one
	// is then an error: somebody put it there since, to have something else
	// made writable.
	Exact bool
	// Readable, if not empty, makes reading and executing handled, too: they
	// are then allowed at and beneath these paths and the writable ones, and
	// nowhere else.
	Readable []string
}

// Error is a failure to confine a thread.
type Error struct {
	Step string // what was being done
	Err  error
}

// Error names the step and the reason.
func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Step, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Detect asks the kernel what it offers.
func Detect() (Kernel, error) { return detect() }

// Enforce confines the calling thread, and every process that it starts, for
// good. The caller has locked it with [runtime.LockOSThread] and must never
// unlock it. The thread can gain no privileges afterwards. When Enforce fails,
// nothing must be started from the thread. Errors are [*Error].
func (k Kernel) Enforce(grants Grants) error { return k.enforce(grants) }
