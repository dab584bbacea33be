// Package acptest is a client of the Agent Client Protocol for tests: it notes
// what the agent tells it, and answers as the test says.
package acptest

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"
)

// Answer is how the user answers a permission request.
type Answer func(ctx context.Context, req acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error)

// Choose answers with an option.
func Choose(option acp.PermissionOptionId) Answer {
	return func(context.Context, acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		return acp.NewRequestPermissionOutcomeSelected(option), nil
	}
}

// Withdraw answers without choosing.
func Withdraw(context.Context, acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return acp.NewRequestPermissionOutcomeCancelled(), nil
}

// Client is a client with one session.
type Client struct {
	*testing.T
	*acp.ClientSideConnection
	Session acp.NewSessionResponse

	answer Answer
	mu     sync.Mutex
	asked  []acp.RequestPermissionRequest
	told   []acp.SessionUpdate
}

// Connect connects to the agent that reads in and writes out, and begins a
// session in dir.
func Connect(t *testing.T, in io.Writer, out io.Reader, dir string, answer Answer) *Client {
	t.Helper()
	c := &Client{T: t, answer: answer}
	c.ClientSideConnection = acp.NewClientSideConnection(handler{c}, in, out)
	c.SetLogger(slog.New(slog.DiscardHandler))
	initialized, err := c.Initialize(c.Bounded(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	if err != nil || initialized.ProtocolVersion != acp.ProtocolVersionNumber {
		t.Fatalf("%+v, %v", initialized, err)
	}
	if dir != "" {
		c.Session, err = c.Begin(dir)
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// Bounded is a context in which no call of a test can hang.
func (c *Client) Bounded() context.Context {
	ctx, cancel := context.WithTimeout(c.Context(), time.Minute)
	c.T.Cleanup(cancel)
	return ctx
}

// Begin begins a session.
func (c *Client) Begin(dir string) (acp.NewSessionResponse, error) {
	return c.NewSession(c.Bounded(), acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{}})
}

// Say sends a prompt and returns why the answer ended.
func (c *Client) Say(text string) acp.StopReason {
	c.Helper()
	response, err := c.Prompt(c.Bounded(), acp.PromptRequest{
		SessionId: c.Session.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock(text)},
	})
	if err != nil {
		c.Fatal(err)
	}
	return response.StopReason
}

// Forget forgets what the agent told and asked so far.
func (c *Client) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told, c.asked = nil, nil
}

// Asked are the permission requests so far.
func (c *Client) Asked() []acp.RequestPermissionRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]acp.RequestPermissionRequest(nil), c.asked...)
}

// Question is what the user was shown of a permission request.
func Question(req acp.RequestPermissionRequest) string {
	return *req.ToolCall.Title + "\n" + textOf(req.ToolCall.Content)
}

// Told are the updates so far.
func (c *Client) Told() []acp.SessionUpdate {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]acp.SessionUpdate(nil), c.told...)
}

// Message is what the agent said in words so far.
func (c *Client) Message() string {
	var b strings.Builder
	for _, update := range c.Told() {
		if chunk := update.AgentMessageChunk; chunk != nil && chunk.Content.Text != nil {
			b.WriteString(chunk.Content.Text.Text)
		}
	}
	return b.String()
}

// Call is what a client shows of a tool call.
type Call struct {
	Title    string
	Statuses []acp.ToolCallStatus
	Shown    []string // each content, the last one is the result
	Output   string   // the raw one
}

// Calls are the tool calls so far.
func (c *Client) Calls() []Call {
	calls := make(map[acp.ToolCallId]*Call)
	var order []acp.ToolCallId
	for _, update := range c.Told() {
		if begun := update.ToolCall; begun != nil {
			order = append(order, begun.ToolCallId)
			calls[begun.ToolCallId] = &Call{Title: begun.Title, Statuses: []acp.ToolCallStatus{begun.Status}}
		}
		if changed := update.ToolCallUpdate; changed != nil {
			calls[changed.ToolCallId].change(changed)
		}
	}
	var all []Call
	for _, id := range order {
		all = append(all, *calls[id])
	}
	return all
}

func (k *Call) change(by *acp.SessionToolCallUpdate) {
	if by.Title != nil {
		k.Title = *by.Title
	}
	if by.Status != nil {
		k.Statuses = append(k.Statuses, *by.Status)
	}
	if by.Content != nil {
		k.Shown = append(k.Shown, textOf(by.Content))
	}
	if raw, ok := by.RawOutput.(map[string]any); ok {
		k.Output, _ = raw["output"].(string)
	}
}

func textOf(content []acp.ToolCallContent) string {
	var b strings.Builder
	for _, part := range content {
		b.WriteString(part.Content.Content.Text.Text)
	}
	return b.String()
}

// Eventually waits until something is true.
func (c *Client) Eventually(what string, is func() bool) {
	c.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.Fatalf("not within time: %s", what)
		}
	}
}
