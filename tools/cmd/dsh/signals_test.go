//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-go/dsh/tools/internal/treetest"
)

// dshProcess is a dsh that runs a command which has said "ready".
type dshProcess struct {
	*testing.T
	cmd    *exec.Cmd
	unread io.ReadCloser // the command's standard output
	out    *bufio.Reader
	stderr bytes.Buffer
}

// startDsh starts the test binary as dsh and waits for its command.
func startDsh(t *testing.T, args ...string) *dshProcess {
	t.Helper()
	p := &dshProcess{T: t, cmd: exec.Command("dsh", args...)}
	p.cmd.Dir = treetest.OutsideTemp(t)
	p.cmd.Env = ownEnv()
	p.cmd.Stderr = &p.stderr
	var err error
	if p.unread, err = p.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(p.unread)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	if line, err := p.out.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the command says %q, %v, %s", line, err, p.stderr.String())
	}
	return p
}

func (p *dshProcess) signal(signal syscall.Signal) {
	p.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		p.Fatal(err)
	}
}

// end returns the rest of the output and the exit status.
func (p *dshProcess) end() (string, int) {
	p.Helper()
	timer := time.AfterFunc(30*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	rest, err := io.ReadAll(p.out)
	if err != nil {
		p.Error(err)
	}
	var exit *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		p.Fatal(err)
	}
	return string(rest), p.cmd.ProcessState.ExitCode()
}

func TestTheFirstSignalEndsTheCommandPolitely(t *testing.T) {
	for _, runner := range systemRunners {
		t.Run(runner, func(t *testing.T) {
			needRunner(t, runner)
			for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
				p := startDsh(t, "run", "--runner", runner, "--", "trap 'echo bye; exit 3' TERM; echo ready; sleep 60 & wait")
				p.signal(signal)
				if rest, status := p.end(); rest != "bye\n" || status != want {
					t.Errorf("%v: %q, status %d, want %d; %s", signal, rest, status, want, p.stderr.String())
				}
			}
		})
	}
}

func TestTheSecondSignalEndsItAtOnce(t *testing.T) {
	for _, runner := range systemRunners {
		t.Run(runner, func(t *testing.T) {
			needRunner(t, runner)
			p := startDsh(t, "run", "--runner", runner, "--", "trap 'echo stubborn' TERM; echo ready; while :; do sleep .1; done")
			p.signal(syscall.SIGINT)
			if line, err := p.out.ReadString('\n'); line != "stubborn\n" {
				t.Fatalf("after the first signal: %q, %v", line, err)
			}
			begin := time.Now()
			p.signal(syscall.SIGINT)
			if _, status := p.end(); status != 130 {
				t.Errorf("status %d", status)
			}
			if took := time.Since(begin); took > 2*time.Second {
				t.Errorf("took %v, so the grace was waited for", took)
			}
		})
	}
}

func TestOutputThatNobodyReadsEndsTheCommand(t *testing.T) {
	p := startDsh(t, "run", "--mode", "danger-full-access", "--", "echo ready; while :; do echo more; done")
	if err := p.unread.Close(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := p.cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 141 {
		t.Errorf("%v; %s", err, p.stderr.String())
	}
}

func TestStandardInputStaysTheCommands(t *testing.T) {
	cmd := exec.Command("dsh", "run", "--mode", "danger-full-access", "--", "cat; exit 5")
	cmd.Env = ownEnv()
	cmd.Stdin = strings.NewReader("in\n")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 5 || string(out) != "in\n" {
		t.Errorf("%q, %v", out, err)
	}
}
