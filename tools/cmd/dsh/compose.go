package main

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

// confinementFlags are the flags that say how a command is confined.
type confinementFlags struct {
	mode      string
	workspace string
	workdir   string
	runner    string
	verbose   bool
}

// runners are the values of --runner, the default first.
var runners = []string{"auto", sandboxlocal.Bwrap, sandboxlocal.Landlock, sandboxlocal.Seatbelt}

func (f *confinementFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.mode, "mode", "m", string(sandbox.ReadOnly),
		"what the command may change: "+strings.Join(modeNames(), ", "))
	flags.StringVarP(&f.workspace, "workspace", "w", ".",
		"the `DIR` beneath which workspace-write may write")
	flags.StringVarP(&f.workdir, "workdir", "C", "",
		"the `DIR` in which the command starts (default: the workspace)")
	flags.StringVar(&f.runner, "runner", runners[0],
		"what confines: "+strings.Join(runners, ", "))
	flags.BoolVarP(&f.verbose, "verbose", "v", false,
		"say on standard error what was selected, probed and started")
	for name, values := range map[string][]string{"mode": modeNames(), "runner": runners} {
		// It fails only for a flag that does not exist.
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
	for _, name := range []string{"workspace", "workdir"} {
		cobra.CheckErr(cmd.MarkFlagDirname(name))
	}
}

func modeNames() []string {
	names := []string{string(sandbox.ReadOnly)}
	for _, mode := range sandbox.ReadOnly.Wider() {
		names = append(names, string(mode))
	}
	return names
}

// policies returns the policy that the flags ask for.
func (f *confinementFlags) policies() (*sandboxpolicy.Policies, error) {
	mode, err := sandbox.ParseMode(f.mode)
	if err != nil {
		return nil, fmt.Errorf("--mode: %w", err)
	}
	return sandboxpolicy.New(sandboxpolicy.Config{Mode: mode, WorkspaceRoot: f.workspace})
}

// provider returns what confines.
func (f *confinementFlags) provider(logger *slog.Logger) (*sandboxlocal.Provider, error) {
	config := sandboxlocal.Config{Logger: logger}
	switch {
	case !slices.Contains(runners, f.runner):
		return nil, fmt.Errorf("--runner: no such runner %q (there are %s)", f.runner, strings.Join(runners, ", "))
	case f.runner != runners[0]:
		config.Runners = []string{f.runner}
	}
	return sandboxlocal.New(config)
}

// directory returns where a command starts under policy.
func (f *confinementFlags) directory(policy sandbox.Policy) string {
	if f.workdir == "" {
		return policy.WorkspaceRoot
	}
	return f.workdir
}

// executor puts the parts together over procs.
func (f *confinementFlags) executor(config bashsandbox.Config, procs subprocess.Service, policies *sandboxpolicy.Policies) (*bashsandbox.Executor, error) {
	provider, err := f.provider(config.Logger)
	if err != nil {
		return nil, err
	}
	return bashsandbox.New(config, procs, provider, policies)
}

// logger tells on std.err what is selected, probed and started, if asked to.
func (f *confinementFlags) logger(std streams) *slog.Logger {
	if !f.verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 {
				return slog.Attr{}
			}
			return a
		},
	}))
}
