package subprocesstest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

var confinementTests = []test{
	{"inputs are readable by their numbers, whatever their size", inputs},
	{"the descriptor after the inputs is the status pipe", statusPipe},
	{"a report longer than a pipe does not block", longReport},
	{"the reported leader's group gets the polite signal", reportedLeader},
	{"a restriction runs once before the start", restriction},
	{"a restriction that fails starts nothing", failedRestriction},
	{"a restriction that cannot be run is an error", restrictionUnsupported},
}

// firstFD is where extra descriptors begin. It skips the test for a service
// that gives none.
func (f *fixture) firstFD() int {
	f.Helper()
	first := f.service.Host().FirstFD
	if first == 0 {
		f.Skip("the service gives no extra descriptors")
	}
	return first
}

func inputs(f *fixture) {
	first := f.firstFD()
	large := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	spec := shell(fmt.Sprintf(`cat <&%d; echo; wc -c <&%d; cat <&%d`, first, first+1, first+2))
	spec.Inputs = [][]byte{[]byte("one"), large, nil}
	_, stdout, stderr := f.run(spec)
	if got, want := strings.Fields(stdout), []string{"one", strconv.Itoa(len(large))}; fmt.Sprint(got) != fmt.Sprint(want) {
		f.Errorf("the inputs are %q, stderr %q", got, stderr)
	}
	spec = shell(`exit 2`) // reads none of them
	spec.Inputs = [][]byte{large, large}
	if outcome, _, _ := f.run(spec); outcome.ExitCode != 2 {
		f.Errorf("%+v", outcome)
	}
}

func statusPipe(f *fixture) {
	first := f.firstFD()
	spec := shell(fmt.Sprintf(`cat <&%d; printf 'one ' >&%d; read go; printf two >&%d`, first, first+1, first+1))
	spec.Inputs = [][]byte{[]byte("input")}
	spec.Status = &sandbox.Status{}
	spec.StdinPipe = true
	handle := f.start(spec)
	f.until("the first report", func() bool { return string(handle.StatusReport()) == "one " })
	handle.Pipes().Stdin.Close()
	f.finish(handle)
	if got := string(handle.StatusReport()); got != "one two" {
		f.Errorf("report %q", got)
	}
	if stdout := text(handle.Stdout()); stdout != "input" {
		f.Errorf("stdout %q", stdout)
	}
	handle = f.start(shell(`exit 0`))
	if report := handle.StatusReport(); report != nil {
		f.Errorf("without a status the report is %q", report)
	}
	f.finish(handle)
}

func longReport(f *fixture) {
	spec := shell(fmt.Sprintf(`head -c 300000 /dev/zero >&%d`, f.firstFD()))
	spec.Status = &sandbox.Status{}
	handle := f.start(spec)
	f.finish(handle)
	if n := len(handle.StatusReport()); n != 300000 {
		f.Errorf("the report has %d bytes", n)
	}
}

// reportedLeader is a runner that ends at the polite signal itself and takes
// the command, which leads a group of its own, down with it: so if the runner
// got the signal, the command's handler could not run. It is a bash script, for
// not every sh starts groups without a terminal.
func reportedLeader(f *fixture) {
	fd := f.firstFD()
	bash, err := f.service.LookPath(context.Background(), "bash", nil)
	if err != nil {
		f.Skip(err)
	}
	dir := f.TempDir()
	command := filepath.Join(dir, "command")
	script := `#!/bin/sh
trap 'echo handled; exit 0' TERM
echo ready
while :; do sleep 0.02; done
`
	if err := os.WriteFile(command, []byte(script), 0o755); err != nil {
		f.Fatal(err)
	}
	runner := `set -m; ` + command + ` & set +m; echo $! >&` + strconv.Itoa(fd) +
		`; trap 'kill -KILL $!; echo taken down; exit 1' TERM; wait $!`
	spec := shell(runner)
	spec.Argv[0] = bash
	spec.Grace = tooLong
	spec.Status = &sandbox.Status{Leader: func(report []byte) int {
		pid, _ := strconv.Atoi(strings.TrimSpace(string(report)))
		return pid
	}}
	handle := f.start(spec)
	f.printed(handle.Stdout(), "ready\n")
	f.until("the report", func() bool { return len(handle.StatusReport()) > 0 })
	handle.Terminate()
	outcome := f.finish(handle)
	if stdout := text(handle.Stdout()); outcome.ExitCode != 0 || stdout != "ready\nhandled\n" {
		f.Errorf("%+v, stdout %q", outcome, stdout)
	}
	f.waitTree(handle)
}

func (f *fixture) needThread() {
	f.Helper()
	if !f.service.Host().OnThread {
		f.Skip("the service cannot run a function on the starting thread")
	}
}

func restriction(f *fixture) {
	f.needThread()
	calls := 0
	spec := shell(`echo ran`)
	spec.Restrict = func() error { calls++; return nil }
	outcome, stdout, _ := f.run(spec)
	if calls != 1 || outcome.ExitCode != 0 || stdout != "ran\n" {
		f.Errorf("%d calls, %+v, stdout %q", calls, outcome, stdout)
	}
}

func failedRestriction(f *fixture) {
	f.needThread()
	reason := errors.New("the kernel does not want to")
	witness := filepath.Join(f.TempDir(), "ran")
	spec := shell("echo >" + witness)
	spec.Restrict = func() error { return reason }
	if err := f.refused(spec, subprocess.StageRestrict); !errors.Is(err, reason) {
		f.Error(err)
	}
	if _, err := os.Lstat(witness); err == nil {
		f.Error("the command ran")
	}
}

func restrictionUnsupported(f *fixture) {
	if f.service.Host().OnThread {
		f.Skip("the service can run a function on the starting thread")
	}
	witness := filepath.Join(f.TempDir(), "ran")
	spec := shell("echo >" + witness)
	spec.Restrict = func() error { return nil }
	if err := f.refused(spec, subprocess.StageRestrict); !errors.Is(err, subprocess.ErrUnsupported) {
		f.Error(err)
	}
	if _, err := os.Lstat(witness); err == nil {
		f.Error("the command ran")
	}
}
