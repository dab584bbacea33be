//go:build linux

package main

import (
	"context"
	"syscall"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// startSleeping sends a prompt whose command sleeps, as does a child of it, and
// returns the reason for the answer's end, when there is one.
func (c *acpClient) startSleeping() (running func() bool, reason <-chan acp.StopReason) {
	c.Helper()
	sleep, running := sleeper(c.T)
	done := make(chan acp.StopReason, 1)
	go func() {
		response, _ := c.Prompt(c.Bounded(), acp.PromptRequest{
			SessionId: c.Session.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock(sleep + " & " + sleep)},
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
				running, _ := c.startSleeping()
				if err := tt.end(c); err != nil {
					t.Fatal(err)
				}
				if status := c.ended(); status != tt.want {
					t.Errorf("exit status %d, want %d; %s", status, tt.want, c.stderr)
				}
				eventually(t, "no command outlives the agent", func() bool { return !running() })
			})
		}
	})
}
