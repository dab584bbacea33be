package sandboxlocal

import (
	"context"
	"errors"
	"slices"

	"github.com/dsh-go/dsh/sandbox"
)

// Provider confines commands with a runner of this machine. Its zero value is
// ready to use and has the default configuration. It is safe for concurrent
// use and must not be copied after its first use.
type Provider struct {
	config   Config
	verdicts verdicts
}

var _ sandbox.Provider = (*Provider)(nil)

// New returns a provider, or a [*ConfigError]. Nothing is looked up or probed
// before the first call.
func New(config Config) (*Provider, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	config.Runners = slices.Clone(config.Runners)
	config.RunnerCommand = slices.Clone(config.RunnerCommand)
	config.RunnerFailureSignatures = slices.Clone(config.RunnerFailureSignatures)
	return &Provider{config: config}, nil
}

// Refresh drops what is known about the candidates, so that the next call
// looks them up and probes them again.
func (p *Provider) Refresh() { p.verdicts.drop() }

// Confine implements [sandbox.Provider]. Beyond its errors it returns a
// [*RequestError] for what no program can be started with, and a
// [*HiddenDirError] for a working directory that the runner would hide.
func (p *Provider) Confine(ctx context.Context, req sandbox.Request) (*sandbox.Confinement, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := req.Policy.Validate(); err != nil {
		return nil, err
	}
	if !req.Policy.Mode.Confines() {
		return nil, sandbox.ErrFullAccess
	}
	c, err := newCall(req)
	if err != nil {
		return nil, err
	}
	chosen, err := p.choose(ctx, c)
	if err != nil {
		return nil, err
	}
	confinement, err := chosen.confine(c)
	if err != nil {
		return nil, err
	}
	p.config.logger().DebugContext(ctx, "confining a command", "runner", confinement.Report.Runner,
		"mode", string(req.Policy.Mode), "enforcement", string(confinement.Report.Enforcement))
	return confinement, nil
}

// choose returns the first candidate that may serve the call, or an
// [*sandbox.UnavailableError] with the reason for each.
func (p *Provider) choose(ctx context.Context, c *call) (runner, error) {
	unavailable := &sandbox.UnavailableError{Mode: c.Policy.Mode}
	var causes []error
	for _, entry := range p.config.entries() {
		chosen, err := p.candidate(ctx, entry, c.Host)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			err = chosen.checkTrust(c)
		}
		if err == nil {
			return chosen, nil
		}
		name, _ := runnerOf(entry)
		unavailable.Reasons = append(unavailable.Reasons, sandbox.RunnerReason{Runner: name, Reason: err.Error()})
		causes = append(causes, err)
	}
	unavailable.Err = errors.Join(causes...)
	return nil, unavailable
}

// candidate returns the runner that an entry means for a host, or why it is
// unusable.
func (p *Provider) candidate(ctx context.Context, entry string, host sandbox.Host) (runner, error) {
	sole := len(p.config.entries()) == 1
	return p.verdicts.of(ctx, candidate{entry, host.OnThread}, func() (runner, error) {
		found, err := p.open(entry, host)
		if err == nil && !sole {
			err = p.prove(ctx, found)
		}
		p.config.logger().InfoContext(ctx, "looked at a sandbox runner", "runner", entry, "usable", err == nil,
			"probed", !sole, "reason", err)
		return found, err
	})
}

// prove probes a runner within the time limit.
func (p *Provider) prove(ctx context.Context, found runner) error {
	limited, cancel := context.WithTimeoutCause(ctx, p.config.probeTimeout(), errTimeout)
	defer cancel()
	err := found.probe(limited)
	if limited.Err() != nil {
		return &undecidedError{context.Cause(limited)}
	}
	return err
}

// undecidedError is a probe that did not come to a verdict.
type undecidedError struct{ cause error }

func (e *undecidedError) Error() string { return "probing it: " + e.cause.Error() }
func (e *undecidedError) Unwrap() error { return e.cause }
