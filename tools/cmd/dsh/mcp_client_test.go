package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dsh-go/dsh/tools/internal/treetest"
)

// generations are versions of the protocol: before the one since which a
// server cannot send requests, and that one.
var generations = []string{"2025-06-18", "2026-07-28"}

// mcpClient is a client of a dsh mcp that works in a directory of its own.
type mcpClient struct {
	*testing.T
	*mcp.ClientSession
	server    *exec.Cmd
	stdin     io.Closer // with pipes: closing it disconnects
	workspace string
	stderr    *bytes.Buffer

	mu       sync.Mutex
	asked    []string // the prompts that the user was shown
	progress []string
	notices  []string
}

// mcpOptions say how the client differs from one that nobody uses.
type mcpOptions struct {
	version string // of the protocol; empty is the newest
	args    []string
	answer  func() (*mcp.ElicitResult, error) // nil: the client cannot ask
	raw     bool                              // leave input requests to the test
	// pipes has the test end the server. The SDK's command transport waits for
	// the calls that run before it disconnects.
	pipes bool
}

// startMCP starts dsh mcp and connects the protocol SDK's own client to it.
func startMCP(t *testing.T, options mcpOptions) *mcpClient {
	t.Helper()
	c := &mcpClient{T: t, workspace: treetest.OutsideTemp(t), stderr: &bytes.Buffer{}}
	c.server = exec.Command("dsh", append([]string{"mcp", "--workspace", c.workspace}, options.args...)...)
	c.server.Env = ownEnv()
	c.server.Dir = c.workspace
	c.server.Stderr = c.stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1.2"}, c.options(options))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var transport mcp.Transport = &mcp.CommandTransport{Command: c.server, TerminateDuration: time.Minute}
	if options.pipes {
		transport = c.startOverPipes()
	}
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: options.version})
	if err != nil {
		t.Fatalf("%v; %s", err, c.stderr)
	}
	c.ClientSession = session
	if !options.pipes {
		t.Cleanup(func() { _ = session.Close() })
	}
	return c
}

func (c *mcpClient) startOverPipes() mcp.Transport {
	c.Helper()
	in, err := c.server.StdinPipe()
	if err != nil {
		c.Fatal(err)
	}
	out, err := c.server.StdoutPipe()
	if err != nil {
		c.Fatal(err)
	}
	if err := c.server.Start(); err != nil {
		c.Fatal(err)
	}
	c.stdin = in
	c.T.Cleanup(func() { _ = c.server.Process.Kill() })
	return &mcp.IOTransport{Reader: out, Writer: in}
}

// ended waits for the server's end and returns its exit status.
func (c *mcpClient) ended() int {
	c.Helper()
	timer := time.AfterFunc(time.Minute, func() { _ = c.server.Process.Kill() })
	defer timer.Stop()
	state, err := c.server.Process.Wait()
	if err != nil {
		c.Fatal(err)
	}
	return state.ExitCode()
}

func (c *mcpClient) options(options mcpOptions) *mcp.ClientOptions {
	client := &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: options.raw},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			c.note(&c.progress, req.Params.Message)
		},
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			text, _ := req.Params.Data.(string)
			c.note(&c.notices, text)
		},
	}
	if options.answer != nil {
		client.ElicitationHandler = func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			c.note(&c.asked, req.Params.Message)
			return options.answer()
		}
	}
	return client
}

func (c *mcpClient) note(where *[]string, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*where = append(*where, text)
}

func (c *mcpClient) noted(where *[]string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), *where...)
}

// arguments of a call.
type arguments map[string]any

func bashCall(command string, more ...arguments) *mcp.CallToolParams {
	all := arguments{"command": command, "description": "A test"}
	for _, some := range more {
		for name, value := range some {
			all[name] = value
		}
	}
	return &mcp.CallToolParams{Name: "bash", Arguments: all}
}

// escalated are the arguments that ask for a wider mode.
func escalated(mode string) arguments {
	return arguments{"sandbox_permissions": mode, "justification": "the user wants it"}
}

// call makes a call and returns its text, and whether it is an error.
func (c *mcpClient) call(params *mcp.CallToolParams) (string, bool) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), time.Minute)
	defer cancel()
	result, err := c.CallTool(ctx, params)
	if err != nil {
		c.Fatalf("%v; %s", err, c.stderr)
	}
	return text(c.T, result), result.IsError
}

func text(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	if len(result.Content) != 1 {
		t.Fatalf("%d contents: %+v", len(result.Content), result)
	}
	content, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("content %T", result.Content[0])
	}
	return content.Text
}

// wants checks the text of a call that is no error.
func (c *mcpClient) wants(params *mcp.CallToolParams, want string) {
	c.Helper()
	if got, failed := c.call(params); got != want || failed {
		c.Errorf("%v: %q, error %v, want %q", params.Arguments, got, failed, want)
	}
}

// refuses checks that a call is an error that says want.
func (c *mcpClient) refuses(params *mcp.CallToolParams, want string) {
	c.Helper()
	if got, failed := c.call(params); !failed || !strings.Contains(got, want) {
		c.Errorf("%v: %q, error %v, want %q", params.Arguments, got, failed, want)
	}
}

// outside returns the path of a file beside the workspace, which only a wider mode
// can change, and which does not exist.
func (c *mcpClient) outside() string {
	c.Helper()
	return filepath.Join(treetest.OutsideTemp(c.T), "count")
}

// lines returns how many lines a file has; 0 for none.
func lines(t *testing.T, path string) int {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return bytes.Count(content, []byte("\n"))
}

// eventually waits until what is true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within time: %s", what)
		}
	}
}

// onRunners runs a test once for each runner of this system.
func onRunners(t *testing.T, test func(t *testing.T, args ...string)) {
	for _, runner := range systemRunners {
		t.Run(runner, func(t *testing.T) {
			needRunner(t, runner)
			test(t, "--runner", runner)
		})
	}
}
