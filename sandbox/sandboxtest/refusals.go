package sandboxtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// policy is a valid one.
func (e *examination) policy() sandbox.Policy {
	return sandbox.Policy{Mode: e.mode, WorkspaceRoot: e.workspace()}
}

// ask asks the provider about a command that nobody is going to start.
func (e *examination) ask(ctx context.Context, policy sandbox.Policy, host sandbox.Host) (*sandbox.Confinement, error) {
	c := e.witness(jobTell)
	return e.provider.Confine(ctx, sandbox.Request{Argv: c.argv, Dir: c.dir, Policy: policy, Host: host})
}

// wrongPolicies are wrong each in its own way.
func (e *examination) wrongPolicies() []sandbox.Policy {
	var policies []sandbox.Policy
	for _, mode := range []sandbox.Mode{"", "no-such-mode", sandbox.Mode(" " + e.mode)} {
		policies = append(policies, sandbox.Policy{Mode: mode, WorkspaceRoot: e.workspace()})
	}
	roots := []string{"", ".", filepath.Join(e.base, "no-such-directory"), e.probe(), filepath.Join(e.probe(), "beneath-a-file")}
	if e.mode == sandbox.WorkspaceWrite {
		roots = append(roots, string(filepath.Separator))
	}
	for _, root := range roots {
		policies = append(policies, sandbox.Policy{Mode: e.mode, WorkspaceRoot: root})
	}
	return policies
}

// refusesWrongPolicies holds the provider to what the seam itself says about
// each policy.
func refusesWrongPolicies(ctx context.Context, e *examination) error {
	if err := e.policy().Validate(); err != nil {
		return err
	}
	for _, policy := range e.wrongPolicies() {
		var want, got *sandbox.InvalidPolicyError
		if !errors.As(policy.Validate(), &want) {
			return errors.New("the seam takes a wrong policy for a valid one")
		}
		_, err := e.ask(ctx, policy, e.options.Host)
		right := errors.As(err, &got) && got.Mode == want.Mode && got.WorkspaceRoot == want.WorkspaceRoot
		if !right || !errors.Is(err, want.Err) || errors.Is(err, sandbox.ErrUnavailable) {
			e.breach("mode %q, workspace root %q: want %q, got %v", policy.Mode, policy.WorkspaceRoot, want, err)
		}
	}
	return nil
}

// refusesFullAccess gives a root that matters to nobody under full access, too.
func refusesFullAccess(ctx context.Context, e *examination) error {
	for _, root := range []string{e.workspace(), ""} {
		_, err := e.ask(ctx, sandbox.Policy{Mode: sandbox.DangerFullAccess, WorkspaceRoot: root}, e.options.Host)
		if !errors.Is(err, sandbox.ErrFullAccess) {
			e.breach("workspace root %q: %v", root, err)
		}
	}
	return nil
}

// heedsContext asks what would be answered if the context had not ended.
func heedsContext(ctx context.Context, e *examination) error {
	if _, err := e.ask(ctx, e.policy(), e.options.Host); err != nil {
		return err
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	expired, stop := context.WithDeadline(ctx, time.Unix(0, 0))
	defer stop()
	for _, ended := range []context.Context{cancelled, expired} {
		if _, err := e.ask(ended, e.policy(), e.options.Host); !errors.Is(err, ended.Err()) {
			e.breach("want %q, got %v", ended.Err(), err)
		}
	}
	return nil
}

// asksNothingOfBareHost leaves it to the provider whether it can confine for
// such a host at all.
func asksNothingOfBareHost(ctx context.Context, e *examination) error {
	c, err := e.ask(ctx, e.policy(), sandbox.Host{})
	if errors.Is(err, sandbox.ErrUnavailable) {
		e.passOver("the provider does not serve such a host")
		return nil
	}
	if err == nil {
		err = c.Check(sandbox.Host{})
	}
	if err != nil {
		e.breach("%v", err)
	}
	return nil
}

// makeDir makes a directory with the given files, each with a content.
func makeDir(dir string, files map[string]string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
