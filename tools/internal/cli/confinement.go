package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	"github.com/dsh-go/dsh/tools/internal/compose"
)

// Confinement is what the flags say about how a command is confined. Each one
// that was given outranks the file.
type Confinement struct {
	Source
	Workdir string
	// SessionRoots says that each session names its own workspace root unless
	// one is fixed, so that the default root confines nothing.
	SessionRoots bool

	mode, workspace, runner string
}

// runners are the values of --runner, the default first.
var runners = []string{"auto", sandboxlocal.Bwrap, sandboxlocal.Landlock, sandboxlocal.Seatbelt, sandboxlocal.Custom}

// Register adds the flags to cmd.
func (f *Confinement) Register(cmd *cobra.Command) {
	f.Source.Register(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&f.mode, "mode", "m", string(sandbox.ReadOnly),
		"the `MODE` of the sandbox, which says what the command may change: "+strings.Join(compose.ModeNames(), ", "))
	flags.StringVarP(&f.workspace, "workspace", "w", ".",
		"the `DIR` beneath which workspace-write may write")
	flags.StringVar(&f.runner, "runner", runners[0],
		"the `RUNNER` that confines: "+strings.Join(runners, ", "))
	for name, values := range map[string][]string{"mode": compose.ModeNames(), "runner": runners} {
		// It fails only for a flag that does not exist.
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
	cobra.CheckErr(cmd.MarkFlagDirname("workspace"))
}

// RegisterWorkdir adds the flag for a program that starts one command.
func (f *Confinement) RegisterWorkdir(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.Workdir, "workdir", "C", "",
		"the `DIR` in which the command starts (default: the workspace)")
	cobra.CheckErr(cmd.MarkFlagDirname("workdir"))
}

// Directory returns where a command starts under policy.
func (f *Confinement) Directory(policy sandbox.Policy) string {
	if f.Workdir == "" {
		return policy.WorkspaceRoot
	}
	return f.Workdir
}

// Compose returns the file's composition with the flags over it.
func (f *Confinement) Compose() (compose.Composition, error) {
	c, err := f.Load()
	if err != nil {
		return c, err
	}
	if err := f.overlay(&c); err != nil {
		return c, err
	}
	return c, f.checkShell(c)
}

func (f *Confinement) overlay(c *compose.Composition) error {
	if f.given.Changed("mode") {
		mode, err := sandbox.ParseMode(f.mode)
		if err != nil {
			return &FlagError{"mode", fmt.Errorf("there is no mode %q (there are %s)", f.mode, strings.Join(compose.ModeNames(), ", "))}
		}
		c.Policy.Mode = mode
	}
	if f.given.Changed("workspace") {
		if f.workspace == "" {
			return &FlagError{"workspace", errNoDirectory} // a variable that is not set, most often
		}
		c.Policy.WorkspaceRoot = f.workspace
	}
	if f.given.Changed("runner") {
		return f.selectRunner(c)
	}
	return nil
}

func (f *Confinement) selectRunner(c *compose.Composition) error {
	switch {
	case !slices.Contains(runners, f.runner):
		return &FlagError{"runner", fmt.Errorf("no such runner %q (there are %s)", f.runner, strings.Join(runners, ", "))}
	case f.runner == sandboxlocal.Custom && len(c.Sandbox.RunnerCommand) == 0:
		return &FlagError{"runner", errNoCustom}
	case f.runner == runners[0]:
		c.Sandbox = compose.Only(c.Sandbox)
	default:
		c.Sandbox = compose.Only(c.Sandbox, f.runner)
	}
	return nil
}

var errNoDirectory = errors.New("the name of the directory is empty; without the flag it is the default")

var errNoCustom = errors.New("custom is the runner that runner-command in the configuration file names, and it names none (see dsh config --help)")

// UnconfinableError is a shell that confines nothing, and was asked to confine.
type UnconfinableError struct {
	Where string // FILE:LINE of the shell
	Asked string // what for
}

// Error says what was asked for and what to do.
func (e *UnconfinableError) Error() string {
	return fmt.Sprintf("%s: the shell is bash-local, which runs commands and confines none: %s is not possible; "+
		"have the shell be bash-sandbox, or pass --mode danger-full-access", e.Where, e.Asked)
}

// Code returns the stable name of this kind of failure.
func (e *UnconfinableError) Code() string { return "INVALID_CONFIG" }

// checkShell refuses to have a shell that confines nothing do as if.
func (f *Confinement) checkShell(c compose.Composition) error {
	switch mode := c.Mode(); {
	case !c.Unconfined:
		return nil
	case mode.Confines():
		return &UnconfinableError{c.Where("shell", ""), "mode " + string(mode)}
	case f.given.Changed("runner"):
		return &UnconfinableError{c.Where("shell", ""), "--runner " + f.runner}
	default:
		return nil
	}
}
