package landlockrun

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/dsh-go/dsh/sandbox-local/internal/landlock"
	"github.com/dsh-go/dsh/sandbox-local/internal/lockdown"
)

// launch confines the thread and executes the command from it: the other
// threads end, and the command has the one that was confined.
func launch(opts options) error {
	if opts.statusFD >= 0 {
		if _, err := unix.FcntlInt(uintptr(opts.statusFD), unix.F_SETFD, unix.FD_CLOEXEC); err != nil {
			return fmt.Errorf("status descriptor %d: %w", opts.statusFD, err)
		}
	}
	kernel, err := landlock.Detect()
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	plan := lockdown.Plan{Kernel: kernel, Grants: opts.grants}
	if opts.readOnly {
		plan.Filter = lockdown.FilterFor(kernel)
	}
	if err := plan.Apply(); err != nil {
		return err
	}
	if partial(kernel) {
		fmt.Fprintln(os.Stderr, PartialNotice)
	}
	return become(opts)
}

// become looks the program up on the command's own PATH, not the launcher's.
func become(opts options) error {
	env := opts.environment(os.Environ())
	if err := os.Setenv("PATH", valueOf(env, "PATH")); err != nil {
		return err
	}
	path, err := exec.LookPath(opts.argv[0])
	if err != nil {
		return err
	}
	report(opts.statusFD, StatusExec)
	return &os.PathError{Op: "exec", Path: path, Err: unix.Exec(path, opts.argv, env)}
}

// report writes a line, if there is a descriptor for it. Nobody can be told
// that it could not be written; the reader takes an empty report for unknown.
func report(fd int, line string) {
	if fd >= 0 {
		_, _ = unix.Write(fd, []byte(line+"\n"))
	}
}

// tryRuleset confines a thread to writing nothing but /dev/null, and tries it
// on devices, so that nothing can be left behind.
func tryRuleset() (landlock.Kernel, error) {
	kernel, err := landlock.Detect()
	if err != nil {
		return kernel, err
	}
	plan := lockdown.Plan{Kernel: kernel, Grants: landlock.Grants{Devices: []string{os.DevNull}}, Filter: lockdown.FilterFor(kernel)}
	return kernel, lockdown.OnThread(func() error {
		if err := plan.Apply(); err != nil {
			return err
		}
		if err := openForWriting("/dev/zero"); !errors.Is(err, fs.ErrPermission) {
			return errNotEnforced
		}
		return openForWriting(os.DevNull)
	})
}

func openForWriting(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}
