package bashtool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
)

// Name is the tool's name.
const Name = "bash"

// Config configures a [Tool].
type Config struct {
	// Executor runs the commands. Required.
	Executor bash.Executor
	// Policies says which policy a session's call has. Nil means the
	// executor's default for every call.
	Policies Policies
	// Notify, if set, is told once about each background task that ended. It
	// is called from a goroutine of its own.
	Notify func(Notice)
}

// Policies resolves policies.
type Policies interface {
	// Resolve returns the policy of a call. It is called by many goroutines at
	// once. Its errors are reported to the model, and nothing runs.
	Resolve(req sandbox.PolicyRequest) (sandbox.Policy, error)
}

// Session is on whose behalf a call is made.
type Session struct {
	// ID tells sessions apart. Tasks of one are invisible to the others.
	ID string
	// Dir is the session's immutable working directory, absolute: its
	// workspace root, where relative working directories start. Empty means
	// the executor's default.
	Dir string
	// Caller identifies to the user who asks for an escalation. Empty means
	// that nobody may ask.
	Caller string
}

// Call is one call of the tool.
type Call struct {
	// Session is whose call it is.
	Session Session
	// Arguments is the JSON object that the model gave.
	Arguments json.RawMessage
	// Approver asks the user about an escalation. Nil means nobody is there.
	Approver sandbox.Approver
	// Observe, if set, sees the output of a foreground command as it comes.
	// See [bash.Request].
	Observe func(stream bash.Stream, chunk []byte)
}

// Tool is the bash tool and its background tasks. It is safe for concurrent
// use.
type Tool struct {
	config     Config
	escalation bool // the escalation fields are advertised
	tasks      tasks
}

var errNoExecutor = errors.New("bashtool: an executor is required")

// New returns a tool. The escalation fields are part of it only if the
// executor confines by default.
func New(config Config) (*Tool, error) {
	if config.Executor == nil {
		return nil, errNoExecutor
	}
	confining, ok := config.Executor.(bash.Confining)
	return &Tool{config: config, escalation: ok && confining.SandboxMode().Confines()}, nil
}

// Run runs a call and returns the text for the model. It blocks until the
// command has ended, or in the background runs. When ctx ends, a foreground
// command is terminated; a background task lives until it is killed or its
// session ends.
//
// Errors are an [*ArgumentError], a [*sandbox.EscalationError], or what the
// executor and the policies return.
func (t *Tool) Run(ctx context.Context, call Call) (string, error) {
	args, err := t.parse(call.Arguments)
	if err != nil {
		return "", err
	}
	policy, err := t.policy(ctx, call, args)
	if err != nil {
		return "", err
	}
	spec, err := t.config.Executor.Resolve(bash.Request{
		Command: args.Command,
		Workdir: workdir(call.Session, args.Workdir),
		Timeout: time.Duration(args.TimeoutMs) * time.Millisecond,
		Managed: managed(call.Session),
		Policy:  policy,
		Observe: call.Observe,
	})
	if err != nil {
		return "", err
	}
	if args.RunInBackground {
		spec.Observe = nil // the call will be over
		return t.start(call.Session, spec, args.Description)
	}
	result, err := t.config.Executor.Run(ctx, spec)
	if err != nil {
		return "", err
	}
	return t.Render(result), nil
}

// workdir returns where a call starts: a relative directory is taken from the
// session's own.
func workdir(session Session, asked string) string {
	switch {
	case session.Dir == "" || filepath.IsAbs(asked):
		return asked
	case asked == "":
		return session.Dir
	default:
		return session.Dir + string(filepath.Separator) + asked
	}
}

// managed is the environment by which a command knows where it runs.
func managed(session Session) map[string]string {
	env := map[string]string{"DSH_SHELL": "1"}
	if session.ID != "" {
		env["DSH_SESSION_ID"] = session.ID
	}
	return env
}

// policy returns the policy of one call; nil is the executor's default. A
// wider mode is good for this call alone, and the user was asked for it.
func (t *Tool) policy(ctx context.Context, call Call, args arguments) (*sandbox.Policy, error) {
	effective, err := t.resolve(call.Session, "")
	if err != nil || args.escalate == "" {
		return effective, err
	}
	asked := effective
	if asked == nil {
		spec, err := t.config.Executor.Resolve(bash.Request{})
		if err != nil {
			return nil, err
		}
		asked = &spec.Policy
	}
	wider, err := t.widened(call.Session, effective, *asked, args.escalate)
	if err != nil {
		return nil, err // nobody is asked for what cannot be had
	}
	_, err = sandbox.Approve(ctx, sandbox.EscalationRequest{
		Mode:          args.escalate,
		Policy:        *asked,
		Justification: args.Justification,
		Caller:        call.Session.Caller,
		Subject:       args.Command,
		Dir:           workdir(call.Session, args.Workdir),
	}, call.Approver)
	if err != nil {
		return nil, err
	}
	return wider, nil
}

// widened returns the policy of a call whose escalation to mode is approved.
// Whether the mode is wider at all is for the approval to say.
func (t *Tool) widened(session Session, effective *sandbox.Policy, asked sandbox.Policy, mode sandbox.Mode) (*sandbox.Policy, error) {
	switch {
	case !slices.Contains(asked.Mode.Wider(), mode):
		return nil, nil
	case effective == nil:
		asked.Mode = mode
		return &asked, nil
	default:
		return t.resolve(session, mode)
	}
}

// resolve asks the policies, if there are any.
func (t *Tool) resolve(session Session, approved sandbox.Mode) (*sandbox.Policy, error) {
	if t.config.Policies == nil {
		return nil, nil
	}
	policy, err := t.config.Policies.Resolve(sandbox.PolicyRequest{Mode: approved, SessionID: session.ID, Dir: session.Dir})
	if err != nil {
		return nil, fmt.Errorf("bashtool: %w", err)
	}
	return &policy, nil
}
