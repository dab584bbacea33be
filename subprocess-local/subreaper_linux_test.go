package subprocesslocal

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

// becomeSubreaper is a program that runs commands and nothing else.
func becomeSubreaper() error {
	for _, try := range []func() error{
		nothingLeft, elderIsLeftAlone, strayIsEnded, hiddenStrayIsEnded, strayThatEndedIsReaped, hiddenStrayThatEndedIsReaped,
		runnerIsSearchedFor,
	} {
		if err := try(); err != nil {
			return err
		}
	}
	return nil
}

func subreaping() (*Service, error) { return New(Config{Subreaper: true}) }

func nothingLeft() error {
	service, err := subreaping()
	if err != nil {
		return err
	}
	if _, err := runToEnd(service, bash("true")); err != nil {
		return err
	}
	if !service.engine.orphans.none() {
		return errors.New("the program is not known to have no child")
	}
	return service.Close(testContext)
}

// elderIsLeftAlone is about a child in a session of its own from before the
// first start, as a wrapper leaves one that becomes this program.
func elderIsLeftAlone() error {
	elder := exec.Command("/bin/sleep", "60")
	elder.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := elder.Start(); err != nil {
		return err
	}
	service, err := subreaping()
	if err != nil {
		return err
	}
	if _, err := runToEnd(service, bash("echo $$; (sleep .05 &) >/dev/null 2>&1; sleep .1")); err != nil {
		return err
	}
	if err := service.Close(testContext); err != nil {
		return err
	}
	if err := elder.Process.Signal(syscall.Signal(0)); err != nil {
		return fmt.Errorf("the elder after Close: %w", err)
	}
	if err := elder.Process.Kill(); err != nil {
		return err
	}
	if err := elder.Wait(); elder.ProcessState == nil {
		return fmt.Errorf("the elder's status: %w", err)
	}
	return nil
}

// strayIsEnded leaves a daemon, which is a child by then, to Close.
func strayIsEnded() error {
	service, err := subreaping()
	if err != nil {
		return err
	}
	pid, err := runToEnd(service, bash("setsid bash -c 'echo $$; exec sleep 60 >/dev/null 2>&1' & sleep .2"))
	if err != nil {
		return err
	}
	if service.engine.orphans.none() {
		return errors.New("a program with a stray is taken to have no child")
	}
	if err := service.Close(testContext); err != nil {
		return err
	}
	if err := unix.Kill(pid, 0); err != unix.ESRCH {
		return fmt.Errorf("the stray %d after Close: %w", pid, err)
	}
	return nil
}

// hiddenStrayIsEnded leaves one that neither its session nor its environment
// gives away, and that has a child like it.
func hiddenStrayIsEnded() error {
	service, err := subreaping()
	if err != nil {
		return err
	}
	const hidden = `setsid env -i /bin/bash -c '/usr/bin/setsid /bin/bash -c "echo \$\$; exec sleep 60 >/dev/null 2>&1" & exec sleep 60 >/dev/null 2>&1' & sleep .3`
	pid, err := runToEnd(service, bash(hidden))
	if err != nil {
		return err
	}
	if err := service.Close(testContext); err != nil {
		return err
	}
	if err := unix.Kill(pid, 0); err != unix.ESRCH {
		return fmt.Errorf("the hidden stray %d after Close: %w", pid, err)
	}
	if !childless() {
		return errors.New("a child is left")
	}
	return nil
}

func strayThatEndedIsReaped() error {
	service, err := subreaping()
	if err != nil {
		return err
	}
	if _, err := runToEnd(service, bash("echo $$; (sleep .05 &) >/dev/null 2>&1")); err != nil {
		return err
	}
	if err := noZombies(); err != nil {
		return err
	}
	return service.Close(testContext)
}

// hiddenStrayThatEndedIsReaped has one lead a session, and end before anybody
// looks at it.
func hiddenStrayThatEndedIsReaped() error {
	service, err := subreaping()
	if err != nil {
		return err
	}
	if _, err := runToEnd(service, bash("echo $$; setsid -f env -i /bin/true >/dev/null 2>&1; sleep .1")); err != nil {
		return err
	}
	if err := noZombies(); err != nil {
		return err
	}
	return service.Close(testContext)
}

// runnerIsSearchedFor begins with a runner that reports.
func runnerIsSearchedFor() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); err != nil {
		return err
	}
	service, err := subreaping()
	if err != nil {
		return err
	}
	spec := bash("true")
	spec.Status = &sandbox.Status{Read: func([]byte) sandbox.StartState { return sandbox.StartUnknown }}
	if _, err := runToEnd(service, spec); err != nil {
		return err
	}
	if service.engine.orphans.none() {
		return errors.New("a runner's first start made the program a subreaper")
	}
	return service.Close(testContext)
}

// runToEnd returns the number that the command printed, if any.
func runToEnd(service *Service, spec subprocess.Spec) (printed int, err error) {
	handle, err := service.Start(testContext, spec)
	if err != nil {
		return 0, err
	}
	if _, err := handle.Outcome(); err != nil {
		return 0, err
	}
	if text := strings.TrimSpace(handle.Stdout().ReadFrom(0).Text); text != "" {
		_, err = fmt.Sscan(text, &printed)
	}
	return printed, err
}

func TestASubreaperNeedNotSearch(t *testing.T) {
	if printed := runHelper(t, helper(t, "subreap")); printed != "" {
		t.Error(printed)
	}
}
