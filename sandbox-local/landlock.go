package sandboxlocal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/capability"
	"github.com/dsh-go/dsh/sandbox-local/internal/landlock"
	"github.com/dsh-go/dsh/sandbox-local/internal/lockdown"
	"github.com/dsh-go/dsh/sandbox-local/internal/sysfilter"
)

// landlockDenials are how a refusal by Landlock reads.
var landlockDenials = []string{"permission denied"}

// RestrictError is a failure to confine the thread of a start. Nothing was
// started.
type RestrictError struct {
	// Err is the reason, never nil.
	Err error
}

// Error gives the reason.
func (e *RestrictError) Error() string { return "sandboxlocal: confining the thread: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *RestrictError) Unwrap() error { return e.Err }

// landlockThread confines the thread that starts the command.
type landlockThread struct {
	kernel landlock.Kernel
	caller landlockCaller
	filter *sysfilter.Filter // nil: there is none for this machine
}

// openLandlock takes the thread where the host offers one and no launcher is
// configured, and otherwise a launcher.
func openLandlock(launcher string, host sandbox.Host) (runner, error) {
	kernel, err := landlock.Detect()
	if err != nil {
		return nil, err
	}
	who, err := currentLandlockCaller()
	if err != nil {
		return nil, err
	}
	if host.OnThread && launcher == "" {
		return &landlockThread{kernel: kernel, caller: who, filter: lockdown.FilterFor(kernel)}, nil
	}
	found, err := findLauncher(launcher)
	if err != nil && launcher == "" {
		return nil, fmt.Errorf("%w, and the launcher %s: %w", errNoThread, launcherName, err)
	}
	if err != nil {
		return nil, fmt.Errorf("the launcher %s: %w", launcher, err)
	}
	return &landlockLauncher{program: found, kernel: kernel, caller: who}, nil
}

// checkTrust has no program to distrust.
func (l *landlockThread) checkTrust(*call) error { return nil }

func (l *landlockThread) confine(c *call) (*sandbox.Confinement, error) {
	return &sandbox.Confinement{
		OnThread: &sandbox.OnThread{Argv: c.Argv, Restrict: l.restrict(c)},
		Env:      withTemp(c.Env, c.writable),
		Dialect:  sandbox.Dialect{Denials: landlockDenials},
		Report:   landlockReport(l.kernel, l.caller, c.Policy.Mode),
	}, nil
}

// restrict builds the ruleset when it is run, so that it is about the
// directories that are there then.
func (l *landlockThread) restrict(c *call) func() error {
	plan := lockdown.Plan{
		Kernel: l.kernel,
		Grants: landlock.Grants{Writable: c.writable, Exact: true, Devices: []string{os.DevNull}},
	}
	if c.Policy.Mode == sandbox.ReadOnly {
		plan.Filter = l.filter
	}
	return func() error {
		if err := plan.Apply(); err != nil {
			return &RestrictError{err}
		}
		return nil
	}
}

// probe confines threads with both profiles and has them try the devices:
// /dev/zero, which only the sandbox denies, and /dev/null, which it grants.
func (l *landlockThread) probe(context.Context) error {
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
		c, err := probeCall(mode, sandbox.Host{OnThread: true}, os.DevNull)
		if err != nil {
			return err
		}
		restrict := l.restrict(c)
		if err := lockdown.OnThread(func() error { return tryConfined(restrict) }); err != nil {
			return fmt.Errorf("the %s profile failed: %w", mode, err)
		}
	}
	return nil
}

func tryConfined(restrict func() error) error {
	if err := restrict(); err != nil {
		return err
	}
	switch err := openForWriting("/dev/zero"); {
	case err == nil:
		return errNotDenied
	case !errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %w", errNotDenied, err)
	}
	return openForWriting(os.DevNull)
}

func openForWriting(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// landlockCaller is what the user who starts a command could do to files whose
// owner and mode Landlock does not guard.
type landlockCaller struct {
	root   bool
	owners bool // may give files to another owner or group
}

func currentLandlockCaller() (landlockCaller, error) {
	held, err := capability.Held()
	if err != nil {
		return landlockCaller{}, err
	}
	groups, err := os.Getgroups()
	if err != nil {
		return landlockCaller{}, err
	}
	others := slices.ContainsFunc(groups, func(gid int) bool { return gid != os.Getegid() })
	const chown = 1 << 0 // CAP_CHOWN
	return landlockCaller{root: os.Geteuid() == 0, owners: held&chown != 0 || others}, nil
}
