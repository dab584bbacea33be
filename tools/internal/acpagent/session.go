package acpagent

import (
	"context"
	"fmt"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/bash/bashtool"
	"github.com/dsh-go/dsh/sandbox"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
)

// session is one conversation: a directory, a mode, and one prompt at a time.
type session struct {
	agent   *Agent
	id, dir string
	talk    *talk           // with the model; nil if there is none
	turn    chan struct{}   // held by the prompt that is being answered
	closed  context.Context // ends with the session
	close   context.CancelFunc

	mu    sync.Mutex
	end   context.CancelFunc // ends the last prompt that was begun
	calls int                // of tools, so far
}

func newSession(agent *Agent, id, dir string, policy sandbox.Policy) *session {
	s := &session{agent: agent, id: id, dir: dir, turn: make(chan struct{}, 1), end: func() {}}
	s.closed, s.close = context.WithCancel(context.Background())
	if agent.config.Model != nil {
		s.talk = newTalk(dir, policy)
	}
	return s
}

// begin begins a prompt, which cancels the one before it. The prompt ends with
// its context; whoever began it ends that.
func (s *session) begin(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancel(ctx)
	stop := context.AfterFunc(s.closed, end)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	s.end = end
	return ctx, func() {
		stop()
		end()
	}
}

// prompt answers a prompt that was begun, when the one before it has ended.
func (s *session) prompt(ctx context.Context, text string) acp.StopReason {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return acp.StopReasonCancelled
	}
	answer := s.command
	if s.talk != nil {
		answer = s.converse
	}
	reason := answer(ctx, text)
	if ctx.Err() != nil {
		return acp.StopReasonCancelled
	}
	return reason
}

// cancel ends the last prompt that was begun, if it has not ended.
func (s *session) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
}

// shut ends everything that the session started. No prompt is answered any more.
func (s *session) shut(ctx context.Context) error {
	s.close()
	select {
	case s.turn <- struct{}{}: // for good
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return s.agent.tool.EndSession(ctx, s.id)
}

// setMode changes the session's mode, if its directory can have that mode, and
// has the model hear of it.
func (s *session) setMode(ctx context.Context, mode sandbox.Mode) error {
	if _, err := sandbox.ParseMode(string(mode)); err != nil {
		return err
	}
	policy, err := s.agent.policies.Resolve(sandbox.PolicyRequest{Mode: mode, SessionID: s.id, Dir: s.dir})
	if err != nil {
		return err
	}
	if err := s.agent.policies.SetMode(ctx, s.id, mode); err != nil {
		return err
	}
	s.talk.note(sandboxpolicy.Describe(policy))
	return nil
}

// caller is who asks the user for a wider mode.
func (s *session) caller() string {
	if model := s.agent.config.Model; model != nil {
		return fmt.Sprintf("the model %s at %s", model.Name, model.host())
	}
	return "dsh acp"
}

func (s *session) bashSession() bashtool.Session {
	return bashtool.Session{ID: s.id, Dir: s.dir, Caller: s.caller()}
}

// nextCall returns the identifier of the session's next tool call.
func (s *session) nextCall() acp.ToolCallId {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return acp.ToolCallId(fmt.Sprintf("call-%d", s.calls))
}

// update tells the client something about the session. A client that is gone has
// no use for it, and one whose prompt was cancelled still has.
func (s *session) update(update acp.SessionUpdate) {
	_ = s.agent.connection.SessionUpdate(context.Background(), acp.SessionNotification{
		SessionId: acp.SessionId(s.id), Update: update,
	})
}

// say tells the user something.
func (s *session) say(markdown string) {
	s.update(acp.UpdateAgentMessageText(markdown))
}

// think shows the user what the model thinks before it answers.
func (s *session) think(markdown string) {
	s.update(acp.UpdateAgentThoughtText(markdown))
}
