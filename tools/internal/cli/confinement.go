package cli

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
)

// Confinement is what the flags say about how a command is confined.
type Confinement struct {
	Mode      string
	Workspace string
	Workdir   string
	Runner    string
	Verbose   bool
}

// runners are the values of --runner, the default first.
var runners = []string{"auto", sandboxlocal.Bwrap, sandboxlocal.Landlock, sandboxlocal.Seatbelt}

// Register adds the flags to cmd.
func (f *Confinement) Register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.Mode, "mode", "m", string(sandbox.ReadOnly),
		"what the command may change: "+strings.Join(modeNames(), ", "))
	flags.StringVarP(&f.Workspace, "workspace", "w", ".",
		"the `DIR` beneath which workspace-write may write")
	flags.StringVar(&f.Runner, "runner", runners[0],
		"what confines: "+strings.Join(runners, ", "))
	flags.BoolVarP(&f.Verbose, "verbose", "v", false,
		"say on standard error what was selected, probed and started")
	for name, values := range map[string][]string{"mode": modeNames(), "runner": runners} {
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

func modeNames() []string {
	names := []string{string(sandbox.ReadOnly)}
	for _, mode := range sandbox.ReadOnly.Wider() {
		names = append(names, string(mode))
	}
	return names
}

// Policies returns the policy that the flags ask for.
func (f *Confinement) Policies() (*sandboxpolicy.Policies, error) {
	mode, err := sandbox.ParseMode(f.Mode)
	if err != nil {
		return nil, fmt.Errorf("--mode: %w", err)
	}
	return sandboxpolicy.New(sandboxpolicy.Config{Mode: mode, WorkspaceRoot: f.Workspace})
}

// Provider returns what confines.
func (f *Confinement) Provider(logger *slog.Logger) (*sandboxlocal.Provider, error) {
	config := sandboxlocal.Config{Logger: logger}
	switch {
	case !slices.Contains(runners, f.Runner):
		return nil, fmt.Errorf("--runner: no such runner %q (there are %s)", f.Runner, strings.Join(runners, ", "))
	case f.Runner != runners[0]:
		config.Runners = []string{f.Runner}
	}
	return sandboxlocal.New(config)
}

// Directory returns where a command starts under policy.
func (f *Confinement) Directory(policy sandbox.Policy) string {
	if f.Workdir == "" {
		return policy.WorkspaceRoot
	}
	return f.Workdir
}

// Executor puts the parts together over procs.
func (f *Confinement) Executor(config bashsandbox.Config, procs subprocess.Service, policies *sandboxpolicy.Policies) (*bashsandbox.Executor, error) {
	provider, err := f.Provider(config.Logger)
	if err != nil {
		return nil, err
	}
	return bashsandbox.New(config, procs, provider, policies)
}

// Logger tells on std.Err what is selected, probed and started, if asked to.
func (f *Confinement) Logger(std Streams) *slog.Logger {
	if !f.Verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(std.Err, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 {
				return slog.Attr{}
			}
			return a
		},
	}))
}
