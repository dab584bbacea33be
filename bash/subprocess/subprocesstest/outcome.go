package subprocesstest

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
)

var outcomeTests = []test{
	{"exit codes are passed on", exitCodes},
	{"a death by signal is never a zero", signalDeaths},
	{"an outcome can be read again and again", outcomeTwice},
	{"a silent descendant that holds the pipes delays the outcome at most by the grace", silentDescendant},
	{"with no grace nothing is waited for, and nothing that the leader wrote is lost", noGrace},
	{"a command that signals its own group does not reach the program", ownGroup},
	{"there is no terminal to be stopped by", noTerminal},
	{"the working directory is the one asked for", workingDirectory},
	{"many at once keep their outcomes apart", manyOutcomes},
}

func exitCodes(f *fixture) {
	for _, code := range []int{0, 1, 2, 125, 126, 127, 128, 137, 255} {
		outcome, _, _ := f.run(shell(fmt.Sprintf("exit %d", code)))
		if want := (subprocess.Outcome{ExitCode: code}); outcome != want {
			f.Errorf("exit %d: %+v", code, outcome)
		}
	}
}

func signalDeaths(f *fixture) {
	for signal, name := range map[string]string{"KILL": "SIGKILL", "SEGV": "SIGSEGV", "TERM": "SIGTERM"} {
		outcome, _, _ := f.run(shell("ulimit -c 0; kill -" + signal + " $$; sleep 60"))
		if want := (subprocess.Outcome{ExitCode: -1, Signal: name}); outcome != want {
			f.Errorf("kill -%s: %+v", signal, outcome)
		}
	}
}

func outcomeTwice(f *fixture) {
	handle := f.start(shell("exit 4"))
	if first, second := f.finish(handle), f.finish(handle); first != second || first.ExitCode != 4 {
		f.Errorf("%+v, then %+v", first, second)
	}
	if handle.PID() <= 0 {
		f.Errorf("PID = %d", handle.PID())
	}
}

func silentDescendant(f *fixture) {
	begin := time.Now()
	outcome, stdout, _ := f.run(shell("sleep 60 & echo x"))
	if outcome != (subprocess.Outcome{}) || stdout != "x\n" {
		f.Errorf("%+v, stdout %q", outcome, stdout)
	}
	if took := time.Since(begin); took > tooLong/2 {
		f.Errorf("took %v", took)
	}
}

func noGrace(f *fixture) {
	spec := shell("sleep 60 & i=0; while [ $i -lt 2000 ]; do echo line; i=$((i+1)); done; echo end")
	spec.Grace = 0
	_, stdout, _ := f.run(spec)
	if want := 2000*len("line\n") + len("end\n"); len(stdout) != want {
		f.Errorf("stdout has %d bytes, want %d", len(stdout), want)
	}
}

func ownGroup(f *fixture) {
	got := make(chan os.Signal, 1)
	signal.Notify(got, syscall.SIGTERM)
	defer signal.Stop(got)
	outcome, _, _ := f.run(shell("kill -TERM 0; sleep 60"))
	if want := (subprocess.Outcome{ExitCode: -1, Signal: "SIGTERM"}); outcome != want {
		f.Errorf("%+v", outcome)
	}
	select {
	case <-got:
		f.Error("the signal reached this program")
	default:
	}
}

func noTerminal(f *fixture) {
	outcome, stdout, stderr := f.run(shell("(exec 3</dev/tty) 2>&1 && echo opened; echo done"))
	if outcome.ExitCode != 0 || stdout == "opened\ndone\n" {
		f.Errorf("%+v, stdout %q, stderr %q", outcome, stdout, stderr)
	}
}

func workingDirectory(f *fixture) {
	dir := canonicalTempDir(f.T)
	spec := shell("pwd -P")
	spec.Dir = dir
	if _, stdout, _ := f.run(spec); stdout != dir+"\n" {
		f.Errorf("ran in %q, want %q", stdout, dir)
	}
}

func manyOutcomes(f *fixture) {
	const n = 32
	handles := make([]subprocess.Handle, n)
	for i := range handles {
		handles[i] = f.start(shell(fmt.Sprintf("echo %d; echo e%d >&2; exit %d", i, i, i)))
	}
	for i, handle := range handles {
		outcome := f.finish(handle)
		stdout, stderr := text(handle.Stdout()), text(handle.Stderr())
		if outcome.ExitCode != i || stdout != fmt.Sprintf("%d\n", i) || stderr != fmt.Sprintf("e%d\n", i) {
			f.Errorf("process %d: %+v, stdout %q, stderr %q", i, outcome, stdout, stderr)
		}
	}
}
