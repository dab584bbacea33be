package acpagent

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"slices"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/approval"
)

// protocol is the agent as the protocol sees it. Each request has a goroutine of
// its own; notifications come one after the other.
type protocol struct{ *Agent }

var errRelative = errors.New("the session's directory (cwd) must be absolute")

// invalid is an error in what the client sent. The message is the reason itself,
// for that is what clients show.
func invalid(err error) error {
	return &acp.RequestError{Code: acp.NewInvalidParams(nil).Code, Message: err.Error()}
}

// Initialize says what the agent is and can do.
func (p protocol) Initialize(_ context.Context, req acp.InitializeRequest) (acp.InitializeResponse, error) {
	if client := req.ClientInfo; client != nil {
		p.config.Logger.Info("client", "name", client.Name, "version", client.Version)
	}
	title := "dsh: each prompt is a command"
	if p.config.Model != nil {
		title = "dsh: " + p.config.Model.Name
	}
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "dsh", Title: &title, Version: p.config.Version},
		AgentCapabilities: acp.AgentCapabilities{
			SessionCapabilities: acp.SessionCapabilities{Close: &acp.SessionCloseCapabilities{}},
		},
		AuthMethods: []acp.AuthMethod{},
	}, nil
}

// NewSession begins a session in the directory that the client names.
func (p protocol) NewSession(_ context.Context, req acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	if !filepath.IsAbs(req.Cwd) {
		return acp.NewSessionResponse{}, invalid(errRelative)
	}
	dir, err := p.policies.admit(req.Cwd)
	if err != nil {
		return acp.NewSessionResponse{}, invalid(err)
	}
	if len(req.McpServers) > 0 {
		p.config.Logger.Info("the client's MCP servers are not used", "servers", len(req.McpServers))
	}
	id := rand.Text()
	policy, err := p.policies.Resolve(sandbox.PolicyRequest{SessionID: id, Dir: dir})
	if err != nil {
		return acp.NewSessionResponse{}, invalid(err)
	}
	p.add(newSession(p.Agent, id, dir, policy))
	p.config.Logger.Info("session", "id", id, "directory", dir, "mode", policy.Mode, "workspace", policy.WorkspaceRoot)
	return acp.NewSessionResponse{SessionId: acp.SessionId(id), Modes: modes(policy)}, nil
}

// modes are the sandbox modes as those of a session.
func modes(policy sandbox.Policy) *acp.SessionModeState {
	state := &acp.SessionModeState{CurrentModeId: acp.SessionModeId(policy.Mode)}
	for _, mode := range slices.Insert(sandbox.ReadOnly.Wider(), 0, sandbox.ReadOnly) {
		policy.Mode = mode
		meaning := approval.Meaning(policy)
		state.AvailableModes = append(state.AvailableModes, acp.SessionMode{
			Id: acp.SessionModeId(mode), Name: string(mode), Description: &meaning,
		})
	}
	return state
}

// SetSessionMode makes the mode that the user chose the session's. One that its
// directory cannot have is refused, and the mode stays what it was.
func (p protocol) SetSessionMode(ctx context.Context, req acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	s, err := p.session(req.SessionId)
	if err != nil {
		return acp.SetSessionModeResponse{}, err
	}
	if err := s.setMode(ctx, sandbox.Mode(req.ModeId)); err != nil {
		return acp.SetSessionModeResponse{}, invalid(err)
	}
	return acp.SetSessionModeResponse{}, nil
}

// Prompt answers a prompt.
func (p protocol) Prompt(ctx context.Context, req acp.PromptRequest) (acp.PromptResponse, error) {
	answer, err := p.begin(ctx, req)
	p.inbox.take()
	if err != nil {
		return acp.PromptResponse{}, err
	}
	return acp.PromptResponse{StopReason: answer()}, nil
}

// begin returns what answers a prompt. From now on the prompt can be cancelled.
func (p protocol) begin(ctx context.Context, req acp.PromptRequest) (answer func() acp.StopReason, err error) {
	s, err := p.session(req.SessionId)
	if err != nil {
		return nil, err
	}
	text, err := promptText(req.Prompt)
	if err != nil {
		return nil, invalid(err)
	}
	ctx, end := s.begin(ctx)
	return func() acp.StopReason {
		defer end()
		return s.prompt(ctx, text)
	}, nil
}

// Cancel ends the prompt that a session is answering or is about to.
func (p protocol) Cancel(_ context.Context, req acp.CancelNotification) error {
	defer p.inbox.take()
	s, err := p.session(req.SessionId)
	if err != nil {
		return err
	}
	s.cancel()
	return nil
}

// CloseSession ends a session, with everything that it started.
func (p protocol) CloseSession(ctx context.Context, req acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	s, err := p.take(req.SessionId)
	if err != nil {
		return acp.CloseSessionResponse{}, err
	}
	return acp.CloseSessionResponse{}, s.shut(ctx)
}

// Authenticate is never needed.
func (protocol) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, nil
}

// ListSessions is not offered, as the two that follow.
func (protocol) ListSessions(context.Context, acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	return acp.ListSessionsResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionList)
}

// ResumeSession is not offered.
func (protocol) ResumeSession(context.Context, acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	return acp.ResumeSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionResume)
}

// SetSessionConfigOption is not offered.
func (protocol) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionSetConfigOption)
}
