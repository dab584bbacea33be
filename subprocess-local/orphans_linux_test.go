package subprocesslocal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var testContext = context.Background()

// adoptOrphans is a program to which orphans are given. While they are reaped,
// every exit code of its own children must stay right.
func adoptOrphans() error {
	if os.Getpid() != 1 {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return err
		}
	}
	service := &Service{}
	errs := make(chan error, 100)
	var work sync.WaitGroup
	for i := range 4 {
		work.Go(func() { errs <- makeOrphans(service) })
		work.Go(func() { errs <- killOrphans(service) })
		work.Go(func() { errs <- runOwnChildren(i%2 == 0) })
	}
	work.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	if err := noZombies(); err != nil {
		return err
	}
	return service.Close(testContext)
}

func makeOrphans(service *Service) error {
	for i := range 60 {
		script := fmt.Sprintf("{ (sleep .05 &); (setsid bash -c 'sleep 2 & sleep 2.2' &); } >/dev/null 2>&1; exit %d", i)
		handle, err := service.Start(testContext, bash(script))
		if err != nil {
			return err
		}
		if outcome, err := handle.Outcome(); err != nil || outcome.ExitCode != i {
			return fmt.Errorf("a command that exits %d: %+v, %w", i, outcome, err)
		}
	}
	return nil
}

// killOrphans ends trees whose daemons become orphans and end at the same time.
func killOrphans(service *Service) error {
	for range 20 {
		handle, err := service.Start(testContext, bash("setsid bash -c 'sleep 60 & sleep 60' & sleep 60"))
		if err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
		handle.Terminate()
		if _, err := handle.Outcome(); err != nil {
			return err
		}
	}
	return nil
}

// runOwnChildren starts children without the service, as a host program does.
func runOwnChildren(lead bool) error {
	for i := range 60 {
		cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf("exit %d", i))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: lead, Setpgid: !lead}
		err := cmd.Run()
		var exit *exec.ExitError
		if i == 0 && err == nil || errors.As(err, &exit) && exit.ExitCode() == i {
			continue
		}
		return fmt.Errorf("a child that exits %d: %w", i, err)
	}
	return nil
}

// noZombies waits until this program has no children that have ended.
func noZombies() error {
	var zombies []string
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		zombies = nil
		for _, pid := range children() {
			if isZombie(pid) {
				stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
				zombies = append(zombies, string(stat))
			}
		}
		if len(zombies) == 0 {
			return nil
		}
	}
	return fmt.Errorf("zombies: %q", zombies)
}

func TestASubreaperReapsOrphansAndNothingElse(t *testing.T) {
	if printed := runHelper(t, helper(t, "adopt")); printed != "" {
		t.Error(printed)
	}
}

func TestTheFirstProcessReapsOrphansAndNothingElse(t *testing.T) {
	namespace := []string{"unshare", "--pid", "--fork", "--mount-proc"}
	if os.Getuid() != 0 {
		namespace = append(namespace, "--map-root-user")
	}
	if out, err := exec.Command(namespace[0], append(namespace[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("no PID namespace here: %v: %s", err, strings.TrimSpace(string(out)))
	}
	if printed := runHelper(t, helper(t, "adopt", namespace...)); printed != "" {
		t.Error(printed)
	}
}

func TestSessionsThatAreGoneAreForgotten(t *testing.T) {
	service := newService(t)
	p := start(t, service, bash("sleep 30"))
	o := orphans{sessions: map[int]bool{p.PID(): true}}
	for i := range mostSessions {
		o.sessions[1<<23+i] = true // above any process id
	}
	o.forgetSessions()
	if len(o.sessions) != 1 || !o.sessions[p.PID()] {
		t.Errorf("%d sessions are remembered", len(o.sessions))
	}
	p.Terminate()
	finish(t, p)
}
