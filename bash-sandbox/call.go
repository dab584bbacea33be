package bashsandbox

import (
	"context"
	"fmt"

	"github.com/dsh-go/dsh/bash"
	bashlocal "github.com/dsh-go/dsh/bash-local"
	"github.com/dsh-go/dsh/sandbox"
)

// call is one confined start: what was asked, what confines it, and what its
// standard error showed.
type call struct {
	spec        bash.Spec
	confinement *sandbox.Confinement
	unconfined  bashlocal.Launch
	outside     []string // the roots that the command may write to
	evidence    *evidence
}

// confine has the provider confine spec. Its errors pass through unchanged.
func (e *Executor) confine(ctx context.Context, spec bash.Spec) (*call, error) {
	// Bash is looked up before anything confines, so that its absence is never
	// taken for the sandbox's fault.
	unconfined, err := e.local.Prepare(ctx, spec)
	if err != nil {
		return nil, err
	}
	confinement, err := e.provider.Confine(ctx, sandbox.Request{
		Argv:   unconfined.Argv,
		Dir:    spec.Workdir,
		Env:    unconfined.Env,
		Policy: spec.Policy,
		Host:   e.host,
	})
	if err != nil {
		return nil, firstCause(ctx, err)
	}
	if err := confinement.Check(e.host); err != nil {
		return nil, &sandbox.UnavailableError{Mode: spec.Policy.Mode, Detail: err.Error(), Err: err}
	}
	outside, err := sandbox.WritableRoots(spec.Policy)
	if err != nil {
		return nil, err
	}
	return &call{
		spec:        spec,
		confinement: confinement,
		unconfined:  unconfined,
		outside:     outside,
		evidence:    newEvidence(confinement.Dialect),
	}, nil
}

// launch is what is started instead of the unconfined launch.
func (c *call) launch() bashlocal.Launch {
	launch := bashlocal.Launch{
		Argv:          c.confinement.Argv,
		Env:           c.confinement.Env,
		Unset:         c.confinement.Unset,
		Inputs:        c.confinement.Inputs,
		Status:        c.confinement.Status,
		ObserveStderr: c.evidence.observe,
		SpillOutside:  c.outside,
		Settle:        c.settle,
	}
	if on := c.confinement.OnThread; on != nil {
		launch.Argv, launch.Restrict = on.Argv, on.Restrict
	}
	return launch
}

// info is what is known before the command has ended.
func (c *call) info() *bash.SandboxInfo {
	report := c.confinement.Report
	return &bash.SandboxInfo{
		Mode:        c.spec.Policy.Mode,
		Enforcement: report.Enforcement,
		Runner:      report.Runner,
		Gaps:        report.Gaps,
	}
}

// settle classifies a command that has ended.
func (c *call) settle(s bashlocal.Settlement) *bash.SandboxInfo {
	info := c.info()
	verdict := c.verdict(s)
	info.RunnerFailed, info.Detail, info.Denied = verdict.runnerFailed, verdict.detail, verdict.denied
	return info
}

// concluded turns what bash-local returned for a foreground run into what this
// executor returns: a runner failure becomes an error.
func (c *call) concluded(ctx context.Context, result bash.Result, err error) (bash.Result, error) {
	if result.Sandbox == nil { // it failed before anything ran
		result.Sandbox = c.info()
		result.Sandbox.Detail, result.Sandbox.RunnerFailed = c.startBlame(err)
	}
	if result.Sandbox.RunnerFailed {
		err = c.unavailable(result.Sandbox.Detail, err)
	}
	return result, firstCause(ctx, err)
}

// blamed turns the error of a background start into an unavailable error if it
// is the runner's fault.
func (c *call) blamed(ctx context.Context, err error) error {
	if detail, blame := c.startBlame(err); blame {
		err = c.unavailable(detail, err)
	}
	return firstCause(ctx, err)
}

// firstCause returns the reason why ctx ended, if it has, instead of err: the
// caller's own doing comes before whatever else went wrong.
func firstCause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (c *call) unavailable(detail string, err error) error {
	runner := c.confinement.Report.Runner
	return &sandbox.UnavailableError{
		Mode:    c.spec.Policy.Mode,
		Reasons: []sandbox.RunnerReason{{Runner: runner, Reason: fmt.Sprintf("%s was selected and failed to run the command", runner)}},
		Detail:  detail,
		Err:     err,
	}
}
