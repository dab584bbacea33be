//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/tools/internal/treetest"
)

// startSleeping sends a prompt whose command sleeps, as does a child of it,
// after what is to be done before. It returns the reason for the answer's end,
// when there is one.
func (c *acpClient) startSleeping(before ...string) (running func() bool, reason <-chan acp.StopReason) {
	c.Helper()
	sleep, running := sleeper(c.T)
	done := make(chan acp.StopReason, 1)
	go func() {
		response, _ := c.Prompt(c.Bounded(), acp.PromptRequest{
			SessionId: c.Session.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock(strings.Join(before, "") + sleep + " & " + sleep)},
		})
		done <- response.StopReason
	}()
	eventually(c.T, "the command sleeps", running)
	return running, done
}

func TestACPCancelEndsTheCommand(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		c := startACP(t, nil, args...)
		running, reason := c.startSleeping()
		if err := c.Cancel(t.Context(), acp.CancelNotification{SessionId: c.Session.SessionId}); err != nil {
			t.Fatal(err)
		}
		if got := <-reason; got != acp.StopReasonCancelled {
			t.Errorf("ended with %s", got)
		}
		if running() {
			t.Error("the answer ended before the command")
		}
		if calls := c.Calls(); len(calls) != 1 || calls[0].Statuses[len(calls[0].Statuses)-1] != acp.ToolCallStatusFailed {
			t.Errorf("%+v", calls)
		}
		c.wants("echo on", acp.StopReasonEndTurn, [][]acp.ToolCallStatus{went}, "on\n")
	})
}

func TestACPCancelEndsTheQuestion(t *testing.T) {
	asked := make(chan struct{})
	c := startACP(t, func(ctx context.Context, _ acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		close(asked)
		<-ctx.Done() // as a client that forgets to answer
		return acp.RequestPermissionOutcome{}, ctx.Err()
	})
	reason := make(chan acp.StopReason, 1)
	go func() { reason <- c.Say("echo x >> ran") }()
	<-asked
	if err := c.Cancel(t.Context(), acp.CancelNotification{SessionId: c.Session.SessionId}); err != nil {
		t.Fatal(err)
	}
	if got := <-reason; got != acp.StopReasonCancelled {
		t.Errorf("ended with %s", got)
	}
	if lines(t, c.workspace+"/ran") != 0 {
		t.Error("it ran")
	}
}

func TestACPASecondPromptEndsTheFirst(t *testing.T) {
	c := startACP(t, nil)
	running, reason := c.startSleeping()
	secondRuns, secondReason := c.startSleeping()
	if got := <-reason; got != acp.StopReasonCancelled || running() {
		t.Errorf("the first one ended with %s", got)
	}
	// The first one's end did not take the second one's cancel away.
	if err := c.Cancel(t.Context(), acp.CancelNotification{SessionId: c.Session.SessionId}); err != nil {
		t.Fatal(err)
	}
	if got := <-secondReason; got != acp.StopReasonCancelled || secondRuns() {
		t.Errorf("the second one ended with %s", got)
	}
}

func TestACPTheEndOfASessionEndsItsCommand(t *testing.T) {
	c := startACP(t, nil)
	running, reason := c.startSleeping()
	if _, err := c.CloseSession(c.Bounded(), acp.CloseSessionRequest{SessionId: c.Session.SessionId}); err != nil {
		t.Fatal(err)
	}
	if running() {
		t.Error("the session ended before the command")
	}
	if got := <-reason; got != acp.StopReasonCancelled {
		t.Errorf("ended with %s", got)
	}
	if _, err := c.CloseSession(c.Bounded(), acp.CloseSessionRequest{SessionId: c.Session.SessionId}); err == nil || !strings.Contains(err.Error(), "there is no session") {
		t.Errorf("ended again: %v", err)
	}
}

func TestACPTheEndOfTheAgentEndsEverything(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		for _, tt := range []struct {
			name string
			end  func(c *acpClient) error
			want int
		}{
			{"the client disconnects", func(c *acpClient) error { return c.stdin.Close() }, 0},
			{"SIGTERM", func(c *acpClient) error { return c.agent.Process.Signal(syscall.SIGTERM) }, 143},
		} {
			t.Run(tt.name, func(t *testing.T) {
				c := startACP(t, nil, args...)
				stray, strayRuns := sleeper(t)
				running, _ := c.startSleeping(hidden(stray))
				eventually(t, "the command that hides sleeps", strayRuns)
				if err := tt.end(c); err != nil {
					t.Fatal(err)
				}
				if status := c.ended(); status != tt.want {
					t.Errorf("exit status %d, want %d; %s", status, tt.want, c.stderr)
				}
				eventually(t, "no command outlives the agent", func() bool { return !running() && !strayRuns() })
			})
		}
	})
}

// TestACPSaysNothingButProtocol reads the agent's own standard output while
// commands do what they can to get at it.
func TestACPSaysNothingButProtocol(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		cmd := exec.Command("dsh", append([]string{"acp", "--verbose"}, args...)...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
		reader := bufio.NewReader(out)
		send := func(format string, args ...any) string {
			t.Helper()
			if _, err := fmt.Fprintf(in, format+"\n", args...); err != nil {
				t.Fatal(err)
			}
			for !t.Failed() {
				if m := readMessage(t, reader); m.ID != nil {
					return string(m.Result)
				}
			}
			return ""
		}
		send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
		var session struct{ SessionId string }
		if err := json.Unmarshal([]byte(send(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, treetest.OutsideTemp(t))), &session); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{
			"for f in 0 1 2; do echo garbage > /proc/$PPID/fd/$f; done 2>/dev/null; echo tried",
			"printf 'a\\nb\\0c\\xff'; echo garbage >&2; for i in 3 4 5 6 7 8 9; do echo garbage >&$i; done",
		} {
			quoted, _ := json.Marshal(command)
			send(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%s}]}}`, session.SessionId, quoted)
		}
		send("no JSON at all\n" + `{"jsonrpc":"2.0","id":4,"method":"no/such"}`)
		send(`{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":[1]}`)
		_ = in.Close()
		if rest, err := io.ReadAll(reader); len(rest) != 0 || err != nil {
			t.Errorf("ends with %q, %v", rest, err)
		}
		if err := cmd.Wait(); err != nil || stderr.Len() == 0 {
			t.Errorf("%v; %s", err, stderr.String())
		}
	})
}
