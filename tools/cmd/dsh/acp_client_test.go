package main

import (
	"bytes"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/dsh-go/dsh/tools/internal/acpagent/acptest"
	"github.com/dsh-go/dsh/tools/internal/treetest"
)

// acpClient is a client of a dsh acp, with a session in a directory of its own.
type acpClient struct {
	*acptest.Client
	agent     *exec.Cmd
	stdin     io.Closer // closing it disconnects
	stderr    *bytes.Buffer
	workspace string
}

// startACP starts dsh acp and connects to it.
func startACP(t *testing.T, answer acptest.Answer, args ...string) *acpClient {
	t.Helper()
	return startACPIn(t, treetest.OutsideTemp(t), answer, args...)
}

// startACPIn is for a session in dir; an empty one begins no session.
func startACPIn(t *testing.T, dir string, answer acptest.Answer, args ...string) *acpClient {
	t.Helper()
	c := &acpClient{workspace: dir, stderr: &bytes.Buffer{}}
	c.agent = exec.Command("dsh", append([]string{"acp"}, args...)...)
	c.agent.Dir = treetest.OutsideTemp(t) // not the session's
	c.agent.Stderr = c.stderr
	in, err := c.agent.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.agent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.agent.Start(); err != nil {
		t.Fatal(err)
	}
	c.stdin = in
	t.Cleanup(func() {
		_ = in.Close()
		if c.agent.ProcessState == nil {
			c.ended()
		}
	})
	c.Client = acptest.Connect(t, in, out, dir, answer)
	return c
}

// ended waits for the agent's end and returns its exit status.
func (c *acpClient) ended() int {
	c.Helper()
	timer := time.AfterFunc(time.Minute, func() { _ = c.agent.Process.Kill() })
	defer timer.Stop()
	if err := c.agent.Wait(); err != nil && c.agent.ProcessState == nil {
		c.Fatal(err)
	}
	return c.agent.ProcessState.ExitCode()
}
