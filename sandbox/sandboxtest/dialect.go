package sandboxtest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/sandbox"
)

// knowsRefusals has an ordinary command make changes beside the workspace,
// each of which is refused in words that the dialect must know.
func knowsRefusals(ctx context.Context, e *examination) error {
	control, err := e.changed(ctx, e.without)
	if err != nil {
		return err
	}
	if control.ExitCode != codeDone {
		return uncontrolled(control)
	}
	var dialect sandbox.Dialect
	ended, err := e.changed(ctx, func(ctx context.Context, c command) (Ended, error) {
		ended, confinement, err := e.within(ctx, c)
		if err == nil {
			dialect = confinement.Dialect
		}
		return ended, err
	})
	if err != nil {
		return err
	}
	if slices.Contains(dialect.Denials, "") {
		e.breach("a text is empty, and so in everything that is printed")
	}
	for _, line := range refusalsIn(ended.Stderr) {
		if !denied(dialect, line) {
			e.breach("%q has none of %q", line, dialect.Denials)
		}
	}
	switch ended.ExitCode {
	case codeRefused:
	case codeDone:
		e.passOver("nothing was refused")
	case codeHidden:
		e.passOver("what is beside the workspace is hidden")
	default:
		e.breach("exit code %d, stderr %q", ended.ExitCode, ended.Stderr)
	}
	return nil
}

// changed has changes made by a command that is run somehow.
func (e *examination) changed(ctx context.Context, run func(context.Context, command) (Ended, error)) (Ended, error) {
	e.next++
	dir := filepath.Join(e.beside(), fmt.Sprint(e.next, "-changes"))
	if err := makeDir(dir, changeable); err != nil {
		return Ended{}, err
	}
	return run(ctx, e.witness(jobChange, dir))
}

func refusalsIn(stderr string) []string {
	return slices.DeleteFunc(strings.Split(stderr, "\n"), func(line string) bool { return !strings.HasPrefix(line, refusedPrefix) })
}

// passesFailure looks at a command that fails in words and with an exit code
// of its own.
func passesFailure(ctx context.Context, e *examination) error {
	c := e.witness(jobFail)
	control, err := e.without(ctx, c)
	if err != nil {
		return err
	}
	if control.ExitCode != codeFailed || control.Stderr == "" {
		return uncontrolled(control)
	}
	ended, confinement, err := e.within(ctx, c)
	if err != nil {
		return err
	}
	if ended.ExitCode != control.ExitCode || !strings.HasSuffix(ended.Stderr, control.Stderr) {
		e.breach("it failed with exit code %d and %q, and without a sandbox with %d and %q",
			ended.ExitCode, ended.Stderr, control.ExitCode, control.Stderr)
		return nil
	}
	if state := stateOf(confinement, ended); confinement.Status != nil && state != sandbox.CommandStarted {
		e.breach("the runner's status says %v: %q", state, ended.Status)
	}
	if denied(confinement.Dialect, ended.Stderr) {
		e.breach("%q is taken for a refusal by %q", ended.Stderr, confinement.Dialect.Denials)
	}
	for _, rule := range confinement.Dialect.Failures {
		if recognises(rule, ended.Stderr) { // whatever its exit codes are: a command may end with any
			e.breach("%q is taken for the runner's own failure by %q", ended.Stderr, rule.Fatal)
		}
	}
	return nil
}

// knowsMissingProgram makes the runner fail. A caller that got an error knows
// that nothing ran.
func knowsMissingProgram(ctx context.Context, e *examination) error {
	c := command{argv: []string{filepath.Join(e.base, "no-such-program")}, dir: e.workspace()}
	if control, err := e.without(ctx, c); err == nil && control.ExitCode == 0 {
		return uncontrolled(control)
	}
	ended, confinement, err := e.within(ctx, c)
	if err != nil {
		return ctx.Err()
	}
	switch state := stateOf(confinement, ended); {
	case state == sandbox.CommandStarted:
		e.breach("the runner's status says %v: %q", state, ended.Status)
	case state == sandbox.StartUnknown && !failed(confinement.Dialect, ended):
		e.breach("no status tells, and no rule recognises exit code %d and %q", ended.ExitCode, ended.Stderr)
	}
	return nil
}

// stateOf is what the runner's status says, if there is one.
func stateOf(c *sandbox.Confinement, ended Ended) sandbox.StartState {
	if c.Status == nil {
		return sandbox.StartUnknown
	}
	return c.Status.Read(ended.Status)
}

// denied reports whether a refusal is known by what was printed.
func denied(d sandbox.Dialect, stderr string) bool { return containsAny(stderr, d.Denials) }

// failed reports whether a rule recognises a failure of the runner's own. An
// exit code of 0 and a death by signal are none.
func failed(d sandbox.Dialect, ended Ended) bool {
	return ended.ExitCode > 0 && slices.ContainsFunc(d.Failures, func(rule sandbox.FailureRule) bool {
		return (rule.ExitCodes == nil || slices.Contains(rule.ExitCodes, ended.ExitCode)) && recognises(rule, ended.Stderr)
	})
}

// recognises reports whether a line is one of those that the rule looks for.
func recognises(rule sandbox.FailureRule, stderr string) bool {
	fatal := slices.DeleteFunc(slices.Clone(rule.Fatal), func(text string) bool { return strings.TrimSpace(text) == "" })
	for line := range strings.Lines(stderr) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		informational := slices.ContainsFunc(rule.Informational, func(notice string) bool { return strings.EqualFold(notice, line) })
		if !informational && containsAny(line, fatal) {
			return true
		}
	}
	return false
}

// containsAny reports whether text holds one of the others, without regard to
// case.
func containsAny(text string, others []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(others, func(other string) bool { return strings.Contains(text, strings.ToLower(other)) })
}
