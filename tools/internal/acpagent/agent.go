// Package acpagent is an agent for the editors that speak the Agent Client
// Protocol, around the bash tool of package bashtool.
//
// With a model it is a loop: the model's words go to the user as they come, its
// tool calls are run, and their results go back to it. Without one it is the
// smallest agent that there can be: each prompt is the command to run, and a
// command that was denied is asked about and run again. Either way the question
// whether a command may run under a wider mode is the protocol's permission
// request, and the three sandbox modes are the session's modes.
package acpagent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/bash/bashtool"
	"github.com/dsh-go/dsh/sandbox"
)

// Config configures an [Agent].
type Config struct {
	// Executor runs the commands. Required.
	Executor bash.Executor
	// Policies says under which policy, and keeps the modes that the user
	// chooses. Required.
	Policies Policies
	// Root is the workspace root of every session, absolute; a session's
	// directory must lie in it. Empty means that each session's directory is
	// its root.
	Root string
	// Version is told to the client.
	Version string
	// Logger tells what the agent does. Nil means nobody wants to know.
	Logger *slog.Logger
	// Model answers the prompts. Nil means that each prompt is the command to
	// run.
	Model *Model
}

// Policies resolves policies and keeps the modes of sessions.
type Policies interface {
	bashtool.Policies
	SetMode(ctx context.Context, sessionID string, mode sandbox.Mode) error
}

// The reasons why a configuration is none.
var (
	errNoExecutor = errors.New("acpagent: an executor is required")
	errNoPolicies = errors.New("acpagent: policies are required")
)

// Agent serves one client. What the sessions of a client may do and which tasks
// they have is known to no other agent, and to none of the others.
type Agent struct {
	config     Config
	policies   policies
	tool       *bashtool.Tool
	tools      []bashtool.TaskTool // the bash tool, then those for tasks
	connection *acp.AgentSideConnection
	inbox      *inbox

	mu       sync.Mutex
	sessions map[acp.SessionId]*session
}

// New returns an agent. What is wrong with the model is a [*ModelError].
func New(config Config) (*Agent, error) {
	switch {
	case config.Executor == nil:
		return nil, errNoExecutor
	case config.Policies == nil:
		return nil, errNoPolicies
	case config.Logger == nil:
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if err := config.Model.validate(); err != nil {
		return nil, err
	}
	a := &Agent{
		config:   config,
		policies: policies{config.Policies, config.Root},
		sessions: make(map[acp.SessionId]*session),
	}
	var err error
	a.tool, err = bashtool.New(bashtool.Config{Executor: witness{config.Executor}, Policies: a.policies, Notify: a.notify})
	if err != nil {
		return nil, err
	}
	a.tools = append([]bashtool.TaskTool{{
		Name: bashtool.Name, Description: a.tool.Description(), Schema: a.tool.Schema(), Run: a.tool.Run,
	}}, a.tool.TaskTools()...)
	return a, nil
}

// Run serves the client that writes to in and reads out until it disconnects,
// which is no error, or says what it must not, or ctx ends, whose cause is
// returned. Commands may still be running then, and are the caller's to end. It
// is called once.
func (a *Agent) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ready := make(chan struct{})
	told := &teller{out: out, gone: make(chan struct{})}
	a.inbox = newInbox(in, a.config.Logger)
	a.connection = acp.NewAgentSideConnection(protocol{a}, told, gate{ready, a.inbox})
	a.connection.SetLogger(a.config.Logger)
	close(ready)
	select {
	case <-a.connection.Done():
		return a.inbox.failure()
	case <-told.gone:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// teller notices that the client reads no more. Somebody may still hold the other
// end of what the agent reads, and nobody would see what commands do.
type teller struct {
	out  io.Writer
	once sync.Once
	gone chan struct{}
}

func (t *teller) Write(p []byte) (int, error) {
	n, err := t.out.Write(p)
	if err != nil {
		t.once.Do(func() { close(t.gone) })
	}
	return n, err
}

// gate holds back what a client says until the agent is ready for it: the
// connection begins to read when it is made.
type gate struct {
	ready <-chan struct{}
	in    io.Reader
}

func (g gate) Read(p []byte) (int, error) {
	<-g.ready
	return g.in.Read(p)
}

// session returns a session by its identifier.
func (a *Agent) session(id acp.SessionId) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if found, ok := a.sessions[id]; ok {
		return found, nil
	}
	return nil, invalid(fmt.Errorf("there is no session %q", id))
}

func (a *Agent) add(s *session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions[acp.SessionId(s.id)] = s
}

// take returns a session that from now on there is no more.
func (a *Agent) take(id acp.SessionId) (*session, error) {
	s, err := a.session(id)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, id)
	return s, nil
}

// notify has the model of a session hear about the end of a background task.
func (a *Agent) notify(notice bashtool.Notice) {
	if s, err := a.session(acp.SessionId(notice.SessionID)); err == nil {
		s.talk.note(notice.Text)
	}
}
