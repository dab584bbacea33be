// Package sandboxpolicy is the one home for the sandbox mode and the workspace
// root of a deployment and of each session in it.
//
// A [Policies] answers which policy a call has: an approved mode outranks the
// session's own, which outranks the default; and a session's immutable working
// directory is its workspace root. It decides nothing about how a policy is
// enforced.
//
// A session's mode is what the last event of its log says. With a [FileLog]
// it survives a restart.
package sandboxpolicy

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/dsh-go/dsh/sandbox"
)

// Config configures a [Policies]. The zero value is the documented default.
type Config struct {
	// Mode is the default mode. Empty means [sandbox.ReadOnly].
	Mode sandbox.Mode
	// WorkspaceRoot is the default workspace root. It is made absolute and
	// canonical at once. Empty means the working directory.
	WorkspaceRoot string
	// Log holds the modes of sessions. Nil means a log in memory, which ends
	// with the program.
	Log Log
}

// A Log is an append-only list of events. It is safe for concurrent use.
type Log interface {
	// Events returns every event, the oldest first.
	Events(ctx context.Context) ([]Event, error)
	// Append adds an event. When it returns nil, the event is kept.
	Append(ctx context.Context, event Event) error
}

// Policies resolves policies. It is safe for concurrent use.
type Policies struct {
	standard sandbox.Policy
	log      Log

	mu    sync.Mutex
	modes map[string]sandbox.Mode // by session: its last event
	roots map[string]string       // by session: its canonical root, once it has one
}

// ErrNoSession is the reason why a mode cannot be set for nobody.
var ErrNoSession = errors.New("sandboxpolicy: a session's mode needs a session")

// RootChangedError is a session that turned up with another working directory
// than it began with.
type RootChangedError struct {
	// SessionID is the session.
	SessionID string
	// Root is its workspace root for good, Asked the directory that it came
	// with now.
	Root, Asked string
}

// Error names the session and both directories.
func (e *RootChangedError) Error() string {
	return fmt.Sprintf("sandboxpolicy: the workspace root of session %q is %q for good, and cannot become %q", e.SessionID, e.Root, e.Asked)
}

// New returns the policies of a deployment, with the modes that its log holds.
// A mode that is not one, or a root that is missing, not a directory, or too
// wide for the mode, is a [*sandbox.InvalidPolicyError]; a log with an event
// that nobody could have meant is an [*EventError].
func New(config Config) (*Policies, error) {
	mode := config.Mode
	if mode == "" {
		mode = sandbox.ReadOnly
	}
	policy, err := rooted(sandbox.Policy{Mode: mode}, config.WorkspaceRoot)
	if err != nil {
		return nil, err
	}
	p := &Policies{standard: policy, log: config.Log, modes: make(map[string]sandbox.Mode), roots: make(map[string]string)}
	if p.log == nil {
		p.log = &memoryLog{}
	}
	if err := p.replay(); err != nil {
		return nil, err
	}
	return p, nil
}

// replay reads the modes of the sessions from the log.
func (p *Policies) replay() error {
	events, err := p.log.Events(context.Background())
	if err != nil {
		return err
	}
	for i, event := range events {
		if event.Type != ModeEvent {
			continue
		}
		if err := event.validate(); err != nil {
			return &EventError{Number: i + 1, Err: err}
		}
		p.modes[event.SessionID] = event.Mode
	}
	return nil
}

// Default returns the policy of a call that selects nothing.
func (p *Policies) Default() sandbox.Policy { return p.standard }

// SetMode makes mode the session's own, by one event that is appended to the
// log. A mode that is not one is a [*sandbox.InvalidPolicyError], and nothing
// is appended.
func (p *Policies) SetMode(ctx context.Context, sessionID string, mode sandbox.Mode) error {
	event := newModeEvent(sessionID, mode)
	if err := event.validate(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.log.Append(ctx, event); err != nil {
		return err
	}
	p.modes[sessionID] = mode
	return nil
}

// Resolve returns the policy that req selects. Errors are as for [New], and a
// [*RootChangedError] for a session whose working directory is not the one
// that it began with.
func (p *Policies) Resolve(req sandbox.PolicyRequest) (sandbox.Policy, error) {
	policy := p.standard
	policy.SessionID = req.SessionID

	p.mu.Lock()
	defer p.mu.Unlock()
	if mode, ok := p.modes[req.SessionID]; ok && req.SessionID != "" {
		policy.Mode = mode
	}
	if req.Mode != "" {
		policy.Mode = req.Mode
	}
	if req.Dir == "" {
		return rooted(policy, p.rootOf(req.SessionID))
	}
	policy, err := rooted(policy, req.Dir)
	if err == nil {
		err = p.pin(req.SessionID, policy.WorkspaceRoot)
	}
	if err != nil {
		return sandbox.Policy{}, err
	}
	return policy, nil
}

// rootOf returns the root that the session began with, or the default one.
// The caller holds the lock, as for pin.
func (p *Policies) rootOf(sessionID string) string {
	if root, ok := p.roots[sessionID]; ok {
		return root
	}
	return p.standard.WorkspaceRoot
}

// pin makes root the session's for good.
func (p *Policies) pin(sessionID, root string) error {
	if sessionID == "" {
		return nil
	}
	if pinned, ok := p.roots[sessionID]; ok && pinned != root {
		return &RootChangedError{SessionID: sessionID, Root: pinned, Asked: root}
	}
	p.roots[sessionID] = root
	return nil
}

// rooted returns policy with the canonical form of root, if the two are valid
// together.
func rooted(policy sandbox.Policy, root string) (sandbox.Policy, error) {
	absolute, err := absolute(root)
	if err != nil {
		return sandbox.Policy{}, &sandbox.InvalidPolicyError{Mode: policy.Mode, WorkspaceRoot: root, Err: err}
	}
	policy.WorkspaceRoot = absolute
	if err := policy.Validate(); err != nil {
		return sandbox.Policy{}, err
	}
	if canonical, err := sandbox.Canonical(absolute); err == nil {
		policy.WorkspaceRoot = canonical
	} else if policy.Mode.Confines() {
		return sandbox.Policy{}, &sandbox.InvalidPolicyError{Mode: policy.Mode, WorkspaceRoot: root, Err: err}
	}
	return policy, nil
}

// absolute puts root behind the working directory if it is relative, without
// touching its "..", which may follow a link.
func absolute(root string) (string, error) {
	if filepath.IsAbs(root) {
		return root, nil
	}
	wd, err := filepath.Abs("")
	if err != nil || root == "" {
		return wd, err
	}
	return wd + string(filepath.Separator) + root, nil
}
