package subprocesslocal

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// mark returns a duration for sleep by which the test finds its processes: no
// other program sleeps that long.
func mark(t *testing.T) string {
	t.Helper()
	number := fmt.Sprintf("9%08d.%d", os.Getpid(), time.Now().UnixNano()%1e9)
	t.Cleanup(func() {
		for _, pid := range carriers(number) {
			t.Errorf("process %s is left", pid)
			if n, err := strconv.Atoi(pid); err == nil {
				unix.Kill(n, unix.SIGKILL)
			}
		}
	})
	return number
}

func TestTerminateReachesWhatLeftTheGroup(t *testing.T) {
	service, number := newService(t), mark(t)
	p := start(t, service, bash("setsid sleep "+number+" & sleep "+number))
	until(t, "both sleeps", func() bool { return len(carriers(number)) == 2 })
	if !p.Terminate() {
		t.Error("Terminate = false")
	}
	if outcome := finish(t, p); outcome.Signal != "SIGTERM" {
		t.Errorf("%+v", outcome)
	}
	waitTree(t, p)
	if left := carriers(number); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Jobs have groups of their own but stay in the session, so a cleared
// environment does not hide them.
func TestTerminateReachesJobs(t *testing.T) {
	service, number := newService(t), mark(t)
	p := start(t, service, bash("set -m; env -i sleep "+number+" & env -i sleep "+number))
	until(t, "both sleeps", func() bool { return len(carriers(number)) == 2 })
	p.Terminate()
	finish(t, p)
	waitTree(t, p)
	if left := carriers(number); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestTerminateEndsAStubbornDaemonByForce(t *testing.T) {
	service := newService(t)
	p := start(t, service, bash(`setsid bash -c 'trap "" TERM; echo $$; while :; do sleep 0.05; done' & wait`))
	daemon, _ := strconv.Atoi(printed(t, p, 1)[0])
	time.Sleep(20 * time.Millisecond)
	p.Terminate()
	finish(t, p)
	waitTree(t, p)
	if !isZombie(daemon) {
		t.Error("the daemon lives")
	}
}

// A member of the group that no environment betrays is killed even if the
// leader is long dead by then: until the tree is gone, the unreaped leader
// keeps the group's number.
func TestAStubbornMemberOutlivesItsLeaderOnlyForTheGrace(t *testing.T) {
	service, number := newService(t), mark(t)
	script := `trap "" TERM; exec >/dev/null 2>&1 sleep ` + number
	p := start(t, service, bash("env -i /bin/bash -c '"+script+"' & sleep "+number))
	until(t, "both sleeps", func() bool { return len(carriers(number)) == 2 })
	p.Terminate()
	finish(t, p)
	waitTree(t, p)
	if left := carriers(number); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestADaemonIsAskedBeforeItIsKilled(t *testing.T) {
	service := newService(t)
	spec := bash(`setsid bash -c 'trap "sleep 0.3 && echo asked | cat; exit" TERM; echo up; while :; do sleep 0.02; done' & wait`)
	spec.Grace = tooLong
	p := start(t, service, spec)
	printed(t, p, 1)
	p.Terminate()
	finish(t, p)
	waitTree(t, p)
	if out := p.Stdout().ReadFrom(0).Text; out != "up\nasked\n" {
		t.Errorf("stdout %q", out)
	}
}

func TestAForkStormIsEnded(t *testing.T) {
	service, number := newService(t), mark(t)
	for _, how := range []string{"sleep", "setsid sleep"} {
		p := start(t, service, bash("for i in {1..300}; do "+how+" "+number+" & done; wait"))
		time.Sleep(200 * time.Millisecond) // somewhere in the storm, or after it
		p.Terminate()
		finish(t, p)
		waitTree(t, p)
		if left := carriers(number); len(left) > 0 {
			t.Errorf("%s: %d left", how, len(left))
		}
		if out := run(t, service, bash("echo ok")); out != "ok\n" {
			t.Errorf("stdout %q", out)
		}
	}
}

func TestCloseEndsDaemonsOfLeadersLongGone(t *testing.T) {
	checkLeaks(t)
	service, number := &Service{}, mark(t)
	for range 3 {
		run(t, service, bash("(setsid sleep "+number+" & sleep "+number+" &) >/dev/null 2>&1"))
	}
	until(t, "the sleeps", func() bool { return len(carriers(number)) == 6 })
	closeService(t, service)
	if left := carriers(number); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestLeftoversCostNothingOnceTheyEnd(t *testing.T) {
	service := newService(t)
	run(t, service, bash("sleep 0.1 >/dev/null 2>&1 &"))
	if n := service.liveCount(); n != 1 {
		t.Fatalf("%d processes are remembered", n)
	}
	until(t, "forgetting", func() bool {
		run(t, service, bash(":"))
		return service.liveCount() == 0
	})
}

func (s *Service) liveCount() int {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	return len(s.engine.live)
}

func TestNothingIsSweptWhileNothingIsTerminated(t *testing.T) {
	service := newService(t)
	for range 5 {
		run(t, service, bash("sleep 0.01 & echo x"))
	}
	service.engine.terminator.mu.Lock()
	defer service.engine.terminator.mu.Unlock()
	if service.engine.terminator.trees != nil {
		t.Error("the process table is looked through")
	}
}

// A process that leaves the group and clears its environment is out of reach,
// as the documentation says. If this ever changes, so must the documentation.
func TestAClearedEnvironmentEscapes(t *testing.T) {
	service := newService(t)
	p := start(t, service, bash(`setsid env -i /bin/bash -c 'echo $$; exec >/dev/null 2>&1; sleep 30' & wait`))
	escaped, _ := strconv.Atoi(printed(t, p, 1)[0])
	defer unix.Kill(escaped, unix.SIGKILL)
	p.Terminate()
	finish(t, p)
	waitTree(t, p)
	if isZombie(escaped) {
		t.Error("the process is gone")
	}
}

func TestAnEscapeHoldingThePipesDoesNotHoldTheOutcome(t *testing.T) {
	service := newService(t)
	spec := bash(`setsid env -i /bin/bash -c 'echo $$; sleep 30' & sleep 30`)
	spec.Grace = tooLong
	p := start(t, service, spec)
	escaped, _ := strconv.Atoi(printed(t, p, 1)[0])
	defer unix.Kill(escaped, unix.SIGKILL)
	begin := time.Now()
	p.Terminate()
	finish(t, p)
	if took := time.Since(begin); took > tooLong/2 {
		t.Errorf("took %v", took)
	}
}

func TestStoppedMembersAreEnded(t *testing.T) {
	service, number := newService(t), mark(t)
	spec := bash("sleep " + number + " & setsid sleep " + number + " & sleep 0.1; kill -STOP %1 $!; echo up; wait")
	spec.Grace = tooLong
	p := start(t, service, spec)
	printed(t, p, 1)
	p.Terminate()
	finish(t, p)
	waitTree(t, p) // long before the grace is over
}

// nestServices runs a service inside of a command of another one.
func nestServices() error {
	service := &Service{}
	spec := bash("setsid sleep " + os.Getenv("NUMBER") + " & wait")
	if _, err := service.Start(context.Background(), spec); err != nil {
		return err
	}
	fmt.Println("nested")
	time.Sleep(tooLong)
	return nil
}

func TestANestedServicesProcessesStayTheOuterOnes(t *testing.T) {
	service, number := newService(t), mark(t)
	cmd := helper(t, "nest")
	spec := bash("exec " + cmd.Path)
	spec.Env = map[string]string{helperVariable: "nest", "NUMBER": number}
	p := start(t, service, spec)
	until(t, "the nested daemon", func() bool { return len(carriers(number)) == 1 })
	p.Terminate()
	finish(t, p)
	waitTree(t, p)
	if left := carriers(number); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestWaitTreeSeesDaemons(t *testing.T) {
	service, number := newService(t), mark(t)
	p := start(t, service, bash("(setsid sleep "+number+" &) >/dev/null 2>&1"))
	finish(t, p)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := p.WaitTree(ctx); err != context.DeadlineExceeded {
		t.Errorf("WaitTree = %v", err)
	}
	if p.Terminate() {
		t.Error("Terminate = true for a process that had ended")
	}
	waitTree(t, p)
}

// After the leader was reaped its number may mean anybody, so without a way to
// signal a group through a pidfd nothing is signalled.
func TestAReapedNumberIsNotSignalled(t *testing.T) {
	cmd := exec.Command("/bin/sleep", "30")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	stranger := &leader{pid: cmd.Process.Pid, ended: true, reaped: true}
	stranger.signalGroup(unix.SIGKILL)
	if stranger.pinned() {
		t.Error("the number is taken for the leader's")
	}
	time.Sleep(50 * time.Millisecond)
	if isZombie(cmd.Process.Pid) {
		t.Error("a stranger was killed")
	}
}

// The group of a leader that was reaped is reached through its pidfd (6.9).
func TestTheGroupOfAReapedLeaderIsReached(t *testing.T) {
	service, number := newService(t), mark(t)
	p := start(t, service, bash("sleep "+number+" >/dev/null 2>&1 &"))
	finish(t, p)
	l := p.tree.leader
	if !l.isReaped() || !isZombie(p.PID()) {
		t.Error("the leader is not reaped")
	}
	l.mu.Lock()
	err := l.signalByPidfd(0)
	l.mu.Unlock()
	if err == errNoGroupSignal {
		t.Skip("this kernel cannot signal a group through a pidfd")
	}
	if !l.pinned() {
		t.Error("the group has a member but is not pinned")
	}
	l.signalGroup(unix.SIGKILL)
	until(t, "the end of the group", func() bool { return !l.pinned() })
}

func TestASweepReadsLargeEnvironments(t *testing.T) {
	service := newService(t)
	spec := bash("setsid sleep 30 & sleep 30")
	spec.Env = map[string]string{}
	for i := range 20 {
		spec.Env[fmt.Sprintf("A%d", i)] = strings.Repeat("x", 20_000)
	}
	p := start(t, service, spec)
	time.Sleep(50 * time.Millisecond)
	p.Terminate()
	finish(t, p)
	waitTree(t, p)
}

func TestAStatusThatSomebodyElseTookIsAnError(t *testing.T) {
	service := newService(t)
	p := start(t, service, bash("echo out; read x; exit 3"))
	go unix.Wait4(p.PID(), nil, 0, nil)
	time.Sleep(20 * time.Millisecond)
	select {
	case <-p.Done():
	case <-time.After(tooLong):
		t.Fatal("not done")
	}
	if outcome, err := p.Outcome(); err != nil && (err != ErrStatusLost || outcome.ExitCode != -1) {
		t.Errorf("%+v, %v", outcome, err)
	} else if err == nil && outcome.ExitCode != 3 && outcome.ExitCode != 1 {
		t.Errorf("%+v", outcome)
	}
}
