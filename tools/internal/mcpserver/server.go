// Package mcpserver serves the bash tool of package bashtool to one client of
// the Model Context Protocol.
//
// What a model sees is bashtool's, word for word: names, schemas, descriptions
// and results. This package adds what the protocol has for a client and its
// user: the question whether a command may run under a wider mode, progress,
// and notices that a background task ended.
package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/bash/bashtool"
	"github.com/dsh-go/dsh/sandbox"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
)

// Config configures a [Server].
type Config struct {
	// Executor runs the commands. Required.
	Executor bash.Executor
	// Policies says under which policy. Required.
	Policies bashtool.Policies
	// Root is the session's working directory and workspace root, absolute.
	Root string
	// Version is told to the client.
	Version string
	// Logger tells what the server does. Nil means nobody wants to know.
	Logger *slog.Logger
}

// Server serves one client: it is one session, and what the session may do and
// which tasks it has is known to no other server.
type Server struct {
	tool      *bashtool.Tool
	protocol  *mcp.Server
	session   bashtool.Session // of each call, but for the caller
	questions questions
}

// New returns a server. Errors are those of the policies.
func New(config Config) (*Server, error) {
	s := &Server{session: bashtool.Session{ID: rand.Text(), Dir: config.Root}}
	policy, err := config.Policies.Resolve(sandbox.PolicyRequest{SessionID: s.session.ID, Dir: config.Root})
	if err != nil {
		return nil, err
	}
	s.tool, err = bashtool.New(bashtool.Config{Executor: config.Executor, Policies: config.Policies, Notify: s.notify})
	if err != nil {
		return nil, err
	}
	s.protocol = mcp.NewServer(
		&mcp.Implementation{Name: "dsh", Title: "dsh: confined bash", Version: config.Version},
		&mcp.ServerOptions{
			Instructions: sandboxpolicy.Describe(policy),
			Logger:       config.Logger,
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Logging: &mcp.LoggingCapabilities{}},
		})
	s.addTools()
	return s, nil
}

// run is how a tool runs a call.
type run func(ctx context.Context, call bashtool.Call) (string, error)

func (s *Server) addTools() {
	s.addTool(bashtool.Name, s.tool.Description(), s.tool.Schema(), s.tool.Run)
	for _, t := range s.tool.TaskTools() {
		s.addTool(t.Name, t.Description, t.Schema, t.Run)
	}
}

func (s *Server) addTool(name, description string, schema json.RawMessage, run run) {
	s.protocol.AddTool(
		&mcp.Tool{Name: name, Description: description, InputSchema: schema, Annotations: annotations(name)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, req, run), nil
		})
}

// annotations tell a client which calls it may make without asking its user:
// those that only look at tasks. Of the others it is to assume the worst, as it
// does of tools without annotations.
func annotations(name string) *mcp.ToolAnnotations {
	if name != bashtool.TaskOutputName && name != bashtool.TaskListName {
		return nil
	}
	closed := false
	return &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed}
}

// Run serves the client at the other end of transport until it disconnects,
// which is no error, or ctx ends, whose cause is returned. Commands may still
// be running then, and are the caller's to end.
func (s *Server) Run(ctx context.Context, transport mcp.Transport) error {
	connection, err := s.protocol.Connect(ctx, transport, nil)
	if err != nil {
		return err
	}
	closed := make(chan error, 1)
	go func() { closed <- connection.Wait() }()
	select {
	case err := <-closed:
		if err != nil {
			return fmt.Errorf("the connection to the client failed: %w", err)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// call runs one call of a tool. What a model should know of a failure is in
// the result; nothing was run then.
func (s *Server) call(ctx context.Context, req *mcp.CallToolRequest, run run) *mcp.CallToolResult {
	answered, err := s.questions.answered(req.Params)
	if err != nil {
		return failure(err)
	}
	progress := watch(ctx, req)
	defer progress.stop()
	text, err := run(ctx, bashtool.Call{
		Session:   s.sessionOf(req),
		Arguments: arguments(req.Params),
		Approver:  s.approver(req, answered, progress),
		Observe:   progress.observer(),
	})
	var open *question
	switch {
	case errors.As(err, &open):
		return open.result()
	case err != nil:
		return failure(err)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// arguments returns those of a call. The protocol lets a client leave them out.
func arguments(params *mcp.CallToolParamsRaw) json.RawMessage {
	if len(params.Arguments) == 0 {
		return json.RawMessage("{}")
	}
	return params.Arguments
}

// sessionOf returns the session of a call, with the client as its caller.
func (s *Server) sessionOf(req *mcp.CallToolRequest) bashtool.Session {
	session := s.session
	if client := req.ClientInfo(); client != nil {
		session.Caller = strings.TrimSpace(client.Name + " " + client.Version)
	}
	return session
}

func failure(err error) *mcp.CallToolResult {
	var result mcp.CallToolResult
	result.SetError(err)
	return &result
}

// notify tells the client about the end of a background task, if it has asked
// for messages of that level.
func (s *Server) notify(notice bashtool.Notice) {
	for connection := range s.protocol.Sessions() {
		// A client that is gone has no use for it.
		_ = connection.Log(context.Background(), &mcp.LoggingMessageParams{
			Level: "info", Logger: "dsh", Data: notice.Text,
		})
	}
}
