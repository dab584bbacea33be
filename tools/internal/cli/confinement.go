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
		"what the command may change: "+strings.Join(compose.ModeNames(), ", "))
	flags.StringVarP(&f.workspace, "workspace", "w", ".",
		"the `DIR` beneath which workspace-write may write")
	flags.StringVar(&f.runner, "runner", runners[0],
		"what confines: "+strings.Join(runners, ", "))
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
			return fmt.Errorf("--mode: there is no mode %q (there are %s)", f.mode, strings.Join(compose.ModeNames(), ", "))
		}
		c.Policy.Mode = mode
	}
	if f.given.Changed("workspace") {
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
		return fmt.Errorf("--runner: no such runner %q (there are %s)", f.runner, strings.Join(runners, ", "))
	case f.runner == sandboxlocal.Custom && len(c.Sandbox.RunnerCommand) == 0:
		return fmt.Errorf("--runner: %s is the runner that the configuration's runner-command names, and there is none (see dsh config)", f.runner)
	case f.runner == runners[0]:
		c.Sandbox = compose.Only(c.Sandbox)
	default:
		c.Sandbox = compose.Only(c.Sandbox, f.runner)
	}
	return nil
}

// errUnconfinable is a shell that cannot do what it is asked to.
var errUnconfinable = errors.New("it runs commands and confines none; " +
	"ask for danger-full-access, have the shell be bash-sandbox, or pass --no-config")

// checkShell refuses to have a shell that confines nothing do as if.
func (f *Confinement) checkShell(c compose.Composition) error {
	mode := c.Mode()
	switch {
	case !c.Unconfined:
		return nil
	case mode.Confines():
		return fmt.Errorf("%s: the shell is bash-local, which cannot hold the mode %s: %w", c.Where("shell", ""), mode, errUnconfinable)
	case f.given.Changed("runner"):
		return fmt.Errorf("--runner: %s: the shell is bash-local, which uses no runner: %w", c.Where("shell", ""), errUnconfinable)
	default:
		return nil
	}
}
