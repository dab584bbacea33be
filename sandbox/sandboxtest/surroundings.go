package sandboxtest

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/sandbox"
)

// The variables that the suite sets in its own process, for a while: one that
// a command inherits, and one that a request replaces. Names that begin with
// DSH_ would not do: a spawner may keep those to itself.
const (
	inheritedName = "CONFORMANCE_INHERITED"
	replacedName  = "CONFORMANCE_REPLACED"
)

// explicit are entries of a request. Some of them act on a shell or find
// programs, so that a runner may not get them itself; the command must.
func explicit() map[string]string {
	const nowhere = "/no-such-directory"
	return map[string]string{
		replacedName:         "the request's",
		"CONFORMANCE_EMPTY":  "",
		"CONFORMANCE_SPACES": " a  b=c\n$HOME 'd' \"e\" \\",
		"CONFORMANCE_BYTES":  "\xff\xfe",
		"BASH_ENV":           nowhere,
		"CDPATH":             nowhere,
		"PATH":               nowhere + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
}

func passesEnvironment(ctx context.Context, e *examination) error {
	defer os.Unsetenv(inheritedName)
	defer os.Unsetenv(replacedName)
	os.Setenv(inheritedName, "inherited")
	os.Setenv(replacedName, "inherited")
	env := explicit()
	want := maps.Clone(env)
	want[inheritedName] = "inherited"
	names := slices.Sorted(maps.Keys(want))
	c := e.witness(jobTell, names...)
	c.env = env
	control, err := e.without(ctx, c)
	if err != nil {
		return err
	}
	if found, _ := toldBy(control); !maps.Equal(found.variables(), want) {
		return uncontrolled(control)
	}
	ended, _, err := e.within(ctx, c)
	if err != nil {
		return err
	}
	found, told := toldBy(ended)
	if !told {
		e.breach("exit code %d, stderr %q", ended.ExitCode, ended.Stderr)
		return nil
	}
	for _, name := range names {
		if got, set := found.variables()[name]; got != want[name] || !set {
			e.breach("%s is %q (set: %t), not %q", name, got, set, want[name])
		}
	}
	return nil
}

func (s surroundings) variables() map[string]string {
	variables := make(map[string]string)
	for name, value := range s.Env {
		variables[name] = string(value)
	}
	return variables
}

// guardsStartup names a library to the loader that does not exist, of which
// the loader of every program that it starts complains. With a sandbox there
// must be less of that than where the runner is shown to have it, too: from a
// runner, which has confined nothing yet, a library would act unconfined. What
// the sandbox starts inside, before the command, may complain, unless the runner
// has no loader: then the two cannot be told apart.
func guardsStartup(ctx context.Context, e *examination) error {
	const name = "LD_PRELOAD"
	library := filepath.Join(e.base, "no-such-library")
	complaints := func(ended Ended) int { return strings.Count(ended.Stderr, library) }
	c := e.witness(jobTell)
	c.env = map[string]string{name: library}
	control, err := e.without(ctx, c)
	if err != nil {
		return err
	}
	ended, confinement, err := e.within(ctx, c)
	if err != nil {
		return err
	}
	if confinement.OnThread != nil {
		e.passOver("nothing but the command is started")
		return nil
	}
	exposed, err := e.exposed(ctx, c)
	switch {
	case err != nil:
		return err
	case complaints(exposed) <= complaints(control):
		e.passOver("the runner takes no notice of " + name)
	case complaints(ended) >= complaints(exposed):
		e.breach("%s acts on the runner: stderr %q, and without a sandbox %q", name, ended.Stderr, control.Stderr)
	}
	return nil
}

// exposed runs the command with its variables set for the runner, too: this
// shows whether the runner would notice.
func (e *examination) exposed(ctx context.Context, c command) (Ended, error) {
	confinement, err := e.confine(ctx, e.mode, c)
	if err != nil {
		return Ended{}, err
	}
	env := maps.Clone(c.env)
	maps.Copy(env, confinement.Env)
	confinement.Env = env
	return e.options.Start(ctx, Launch{Confinement: confinement, Dir: c.dir})
}

// keepsDirectory tries directories that a sandbox may hide. A command may then
// fail to start; what it must not is start somewhere else.
func keepsDirectory(ctx context.Context, e *examination) error {
	e.next++
	name := fmt.Sprint(e.next, "-dir")
	for _, prefix := range slices.Concat(
		e.prefixes(sandbox.PlaceWorkspace), e.prefixes(sandbox.PlaceBeside), e.prefixes(sandbox.PlaceTemp),
	) {
		dir := prefix + name
		if err := makeDir(dir, map[string]string{markName: dir}); err != nil {
			return err
		}
		if err := e.keeps(ctx, dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// keeps tries one directory that is marked.
func (e *examination) keeps(ctx context.Context, dir string) error {
	c := e.witness(jobTell)
	c.dir = dir
	control, err := e.without(ctx, c)
	if err != nil {
		return err
	}
	want, told := toldBy(control)
	if !told || want.Mark != dir {
		return uncontrolled(control)
	}
	ended, _, err := e.within(ctx, c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	found, told := toldBy(ended)
	switch inWorkspace := sandbox.Within(dir, []string{e.workspace()}); {
	case told && (found.Dir != want.Dir || found.Mark != want.Mark):
		e.breach("the command was to start in %s and did in %s, where the mark is %q", want.Dir, found.Dir, found.Mark)
	case !told && inWorkspace:
		e.breach("a command cannot be started in %s: error %v, exit code %d, stderr %q", dir, err, ended.ExitCode, ended.Stderr)
	}
	return nil
}
