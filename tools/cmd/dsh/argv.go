package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/bash"
	bashlocal "github.com/dsh-go/dsh/bash-local"
	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/cli"
)

const argvLong = `argv prints, as one line for a shell, the program and the arguments that confine
a command for a caller that can do nothing but start an argv. It runs no command.

A caller with more to offer, such as dsh run itself, is given a shorter one, or
none at all: Landlock then confines the very thread that starts the command.`

const argvExample = `  # What would be started for this command
  dsh argv --runner bwrap -- 'echo hello'

  # Have something else start it
  eval "$(dsh argv --mode workspace-write -- 'make')"`

func newArgv(std cli.Streams) *cobra.Command {
	var flags cli.Confinement
	cmd := &cobra.Command{
		Use:     "argv [flags] -- COMMAND",
		Short:   "Print what would be started to confine a command",
		Long:    argvLong,
		Example: argvExample,
		Args:    oneCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			argv, err := confinedArgv(cmd, flags, std, args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(std.Out, shellJoin(argv))
			return err
		},
	}
	flags.Register(cmd)
	flags.RegisterWorkdir(cmd)
	return cmd
}

// confinedArgv returns what is started for command.
func confinedArgv(cmd *cobra.Command, flags cli.Confinement, std cli.Streams, command string) ([]string, error) {
	parts, err := flags.Parts(std)
	if err != nil {
		return nil, err
	}
	policy := parts.Policies.Default()
	procs, err := parts.Processes()
	if err != nil {
		return nil, err
	}
	local, err := bashlocal.New(parts.Composition.Shell, procs)
	if err != nil {
		return nil, err
	}
	spec, err := local.Resolve(bash.Request{Command: command, Workdir: flags.Directory(policy)})
	if err != nil {
		return nil, err
	}
	launch, err := local.Prepare(cmd.Context(), spec)
	if err != nil || !policy.Mode.Confines() {
		return launch.Argv, err
	}
	provider, err := parts.Provider()
	if err != nil {
		return nil, err
	}
	confinement, err := provider.Confine(cmd.Context(), sandbox.Request{
		Argv: launch.Argv, Dir: spec.Workdir, Env: launch.Env, Policy: policy,
	})
	if err != nil {
		return nil, err
	}
	if err := confinement.Check(sandbox.Host{}); err != nil {
		return nil, err
	}
	return confinement.Argv, nil
}
