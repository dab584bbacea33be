package sandboxtest

import (
	"context"
	"fmt"

	"github.com/dsh-go/dsh/sandbox"
)

// clause is one promise of the seam besides that the mode holds.
type clause struct {
	name string
	// check looks for breaches. An error means that nothing is known: above
	// all that the control, which is the same without a sandbox, fails.
	check func(context.Context, *examination) error
}

// clauses are checked under every mode.
var clauses = []clause{
	{"a policy that is wrong is refused", refusesWrongPolicies},
	{"full access is refused", refusesFullAccess},
	{"a context that has ended ends the call", heedsContext},
	{"a host that can do nothing is asked for nothing", asksNothingOfBareHost},
	{"the environment arrives", passesEnvironment},
	{"what acts on a program's start acts inside", guardsStartup},
	{"the working directory is the one that was asked for", keepsDirectory},
	{"a refusal is known by its words", knowsRefusals},
	{"an ordinary failure is the command's own", passesFailure},
	{"a command that cannot be started is known not to have run", knowsMissingProgram},
	{"the polite signal reaches the command", namesLeader},
}

// examination is one clause under one mode.
type examination struct {
	*suite
	mode   sandbox.Mode
	clause string
}

// contract checks every clause under a mode.
func (s *suite) contract(ctx context.Context, mode sandbox.Mode) error {
	for _, c := range clauses {
		if err := c.check(ctx, &examination{s, mode, c.name}); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// breach records that the clause does not hold.
func (e *examination) breach(format string, args ...any) { e.broken(e.mode, e.clause, format, args...) }

// passOver says why the clause cannot be tried.
func (e *examination) passOver(why string) {
	e.table.Untried = append(e.table.Untried, fmt.Sprintf("%s, under %s: %s", e.clause, e.mode, why))
}

// command is what a clause has run.
type command struct {
	argv []string
	dir  string
	env  map[string]string
}

// witness has the probe do a job of [witnessMain] in the workspace.
func (s *suite) witness(job string, args ...string) command {
	return command{argv: append([]string{s.probe(), witnessArg, job}, args...), dir: s.workspace()}
}

// without runs the command without a sandbox.
func (e *examination) without(ctx context.Context, c command) (Ended, error) {
	return e.options.Start(ctx, Launch{Confinement: &sandbox.Confinement{Argv: c.argv, Env: c.env}, Dir: c.dir})
}

// within runs the command in a sandbox.
func (e *examination) within(ctx context.Context, c command) (Ended, *sandbox.Confinement, error) {
	confinement, err := e.confine(ctx, e.mode, c)
	if err != nil {
		return Ended{}, nil, err
	}
	ended, err := e.options.Start(ctx, Launch{Confinement: confinement, Dir: c.dir})
	return ended, confinement, err
}

// uncontrolled is a control that fails.
func uncontrolled(ended Ended) error {
	return fmt.Errorf("%w: without a sandbox: exit code %d, stdout %q, stderr %q", ErrProbe, ended.ExitCode, ended.Stdout, ended.Stderr)
}
