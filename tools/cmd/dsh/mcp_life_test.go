//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dsh-go/dsh/tools/internal/treetest"
)

// sleeper returns a command that sleeps for a time that nobody else sleeps
// for, and by which running tells whether it lives.
func sleeper(t *testing.T) (command string, running func() bool) {
	t.Helper()
	n, err := rand.Int(rand.Reader, big.NewInt(1e15))
	if err != nil {
		t.Fatal(err)
	}
	seconds := "300." + n.String()
	return "sleep " + seconds, func() bool {
		found, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			line, _ := os.ReadFile(path) // it may have ended since
			if string(line) == "sleep\x00"+seconds+"\x00" {
				return true
			}
		}
		return false
	}
}

// hidden returns a command that leaves another one running which neither its
// session nor its environment gives away.
func hidden(command string) string {
	return `setsid -f env -i PATH="$PATH" ` + command + " >/dev/null 2>&1; "
}

func TestMCPBackgroundTasks(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		c := startMCP(t, mcpOptions{version: generations[0], args: append(args, "--mode", "workspace-write")})
		if err := c.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
			t.Fatal(err)
		}
		sleep, running := sleeper(t)
		command := "echo one; until [ -e go ]; do read -t .05 <> <(:); done; echo two; " + sleep
		c.wants(bashCall(command, arguments{"run_in_background": true}), "started background task 1\n")
		output := &mcp.CallToolParams{Name: "task_output", Arguments: arguments{"task_id": "1"}}
		c.reads(output, "one\n[running]\n")
		c.wants(output, "(no output)\n[running]\n")
		c.wants(bashCall("touch go"), "(no output)\n")
		c.reads(output, "two\n[running]\n")
		eventually(t, "the command sleeps", running)
		c.wants(&mcp.CallToolParams{Name: "task_list"}, "1: A test (running)\n")
		kill := &mcp.CallToolParams{Name: "task_kill", Arguments: arguments{"task_id": "1"}}
		c.wants(kill, "terminating background task 1\n")
		eventually(t, "the command is gone", func() bool { return !running() })
		eventually(t, "the client is told", func() bool {
			notices := c.noted(&c.notices)
			return len(notices) == 1 && strings.HasPrefix(notices[0], "[background task 1 ended: ")
		})
		if got, failed := c.call(kill); failed || strings.Contains(got, "terminating") {
			t.Errorf("killed again: %q", got)
		}
	})
}

// reads reads a task's output until there is some.
func (c *mcpClient) reads(params *mcp.CallToolParams, want string) {
	c.Helper()
	var got string
	eventually(c.T, "the task says something", func() bool {
		got, _ = c.call(params)
		return !strings.HasPrefix(got, "(no output)\n")
	})
	if got != want {
		c.Errorf("read %q, want %q", got, want)
	}
}

func TestMCPCancelEndsTheCommand(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		for _, version := range generations {
			c := startMCP(t, mcpOptions{version: version, args: args})
			sleep, running := sleeper(t)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := c.CallTool(ctx, bashCall(sleep+" & "+sleep))
				done <- err
			}()
			eventually(t, "the command sleeps", running)
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
			eventually(t, "the command is gone", func() bool { return !running() })
			c.wants(bashCall("echo still here"), "still here\n")
		}
	})
}

// startSleeping has a command sleep in the foreground, one in the background
// and one that hides, and returns whether any of them does.
func (c *mcpClient) startSleeping() (running func() bool) {
	c.Helper()
	front, frontRuns := sleeper(c.T)
	back, backRuns := sleeper(c.T)
	stray, strayRuns := sleeper(c.T)
	c.wants(bashCall(hidden(stray)+back+" & "+back, arguments{"run_in_background": true}), "started background task 1\n")
	go func() { _, _ = c.CallTool(c.Context(), bashCall("trap : TERM; "+front+" & wait; "+front)) }()
	eventually(c.T, "all commands sleep", func() bool { return frontRuns() && backRuns() && strayRuns() })
	return func() bool { return frontRuns() || backRuns() || strayRuns() }
}

func TestMCPTheEndOfTheServerEndsEverything(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		for _, tt := range []struct {
			name string
			end  func(c *mcpClient) error
			want int
		}{
			{"the client disconnects", func(c *mcpClient) error { return c.stdin.Close() }, 0},
			{"SIGTERM", func(c *mcpClient) error { return c.server.Process.Signal(syscall.SIGTERM) }, 143},
		} {
			t.Run(tt.name, func(t *testing.T) {
				c := startMCP(t, mcpOptions{args: args, pipes: true})
				running := c.startSleeping()
				if err := tt.end(c); err != nil {
					t.Fatal(err)
				}
				if status := c.ended(); status != tt.want {
					t.Errorf("exit status %d, want %d", status, tt.want)
				}
				eventually(t, "no command outlives the server", func() bool { return !running() })
			})
		}
	})
}

func TestMCPServersDoNotSeeEachOthersTasks(t *testing.T) {
	a := startMCP(t, mcpOptions{})
	b := startMCP(t, mcpOptions{})
	sleep, running := sleeper(t)
	a.wants(bashCall(sleep, arguments{"run_in_background": true}), "started background task 1\n")
	eventually(t, "the command sleeps", running)
	b.wants(&mcp.CallToolParams{Name: "task_list"}, "(no background tasks)\n")
	for _, name := range []string{"task_output", "task_kill"} {
		b.refuses(&mcp.CallToolParams{Name: name, Arguments: arguments{"task_id": "1"}}, "no such background task")
	}
	one, _ := a.call(bashCall("echo $DSH_SESSION_ID"))
	two, _ := b.call(bashCall("echo $DSH_SESSION_ID"))
	if len(one) < 20 || one == two {
		t.Errorf("session ids %q and %q", one, two)
	}
	if !running() {
		t.Error("the task of the one is gone")
	}
}

func TestMCPProgress(t *testing.T) {
	for _, version := range generations {
		c := startMCP(t, mcpOptions{version: version})
		params := bashCall(`printf 'first\nlast \033[31mline\n'; ` + "until [ -e go ]; do read -t .05 <> <(:); done")
		c.wants(bashCall("echo quiet; sleep 1.5"), "quiet\n")
		if told := c.noted(&c.progress); len(told) != 0 {
			t.Errorf("nobody asked, and it said %q", told)
		}
		params.SetProgressToken("token")
		done := make(chan *mcp.CallToolResult, 1)
		go func() {
			result, _ := c.CallTool(t.Context(), params)
			done <- result
		}()
		eventually(t, "progress twice", func() bool { return len(c.noted(&c.progress)) >= 2 })
		if err := os.WriteFile(c.workspace+"/go", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := text(t, <-done); !strings.HasPrefix(got, "first\nlast ") {
			t.Errorf("%q", got)
		}
		told := c.noted(&c.progress)
		if last := told[len(told)-1]; !strings.HasSuffix(last, `s: last \x1b[31mline`) {
			t.Errorf("told %q", told)
		}
	}
}

// TestMCPSaysNothingButProtocol reads the server's own standard output while
// commands do what they can to get at it.
func TestMCPSaysNothingButProtocol(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		cmd := exec.Command("dsh", append([]string{"mcp", "--verbose", "--mode", "workspace-write", "--workspace", treetest.OutsideTemp(t)}, args...)...)
		cmd.Env = ownEnv()
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
		for _, line := range rawSession() {
			if _, err := io.WriteString(in, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		reader := bufio.NewReader(out)
		for answers := 0; answers < 6 && !t.Failed(); {
			if readMessage(t, reader).ID != nil {
				answers++
			}
		}
		_ = in.Close()
		if rest, err := io.ReadAll(reader); len(rest) != 0 || err != nil {
			t.Errorf("ends with %q, %v", rest, err)
		}
		if err := cmd.Wait(); err != nil || stderr.Len() == 0 {
			t.Errorf("%v; %s", err, stderr.String())
		}
	})
}

// rawSession is what a client sends: hostile commands and nonsense, to be
// answered six times.
func rawSession() []string {
	call := func(id, command string) string {
		quoted, _ := json.Marshal(command)
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"bash","arguments":{"description":"d","command":` + string(quoted) + `}}}`
	}
	return []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		call("2", "for f in 0 1 2; do echo garbage > /proc/$PPID/fd/$f; done 2>/dev/null; echo tried"),
		call("3", "printf 'a\\nb\\0c\\xff'; echo garbage >&2; for i in 3 4 5 6 7 8 9; do echo garbage >&$i; done"),
		`{"jsonrpc":"2.0","id":4,"method":"no/such"}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"nope"}}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"bash","arguments":[1]}}`,
	}
}

type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
}

// readMessage reads one line, which must be a message of the protocol.
func readMessage(t *testing.T, reader *bufio.Reader) message {
	t.Helper()
	line, err := reader.ReadBytes('\n')
	if err != nil {
		t.Fatalf("ends with %q, %v", line, err)
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil || m.Version != "2.0" {
		t.Errorf("not the protocol: %q, %v", line, err)
	}
	return m
}
