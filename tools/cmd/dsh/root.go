package main

import (
	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/tools/internal/cli"
)

const rootLong = `dsh runs shell commands that somebody else wrote under an operating-system file
sandbox, and tells the truth about what happened.

A command runs in one of three modes:

  read-only            it changes no file of the host
  workspace-write      it changes files beneath the workspace and in /tmp only
  danger-full-access   it is not confined

If nothing on this machine can confine a command, it is not run.`

const rootExample = `  # Look around without being able to break anything
  dsh run -- 'git log --oneline | head'

  # Build in the current directory, and write nowhere else
  dsh run --mode workspace-write -- 'make test'

  # Give an MCP client or an editor a confined bash
  dsh mcp --help
  dsh acp --help

  # Find out what can confine commands here, and how completely
  dsh doctor`

func newRoot(std cli.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:     "dsh",
		Short:   "Run shell commands under a file sandbox and learn what happened",
		Long:    rootLong,
		Example: rootExample,
		Args:    noSubcommand,
		Version: cli.Version(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate(versionLine())
	root.Flags().Bool("version", false, "print the version") // cobra's own has -v, which is --verbose elsewhere
	root.AddCommand(newRun(std), newArgv(std), newDoctor(std), newConfig(std), newMCP(std), newACP(std), newVersion())
	addCompletion(root)
	addHelp(root)
	return root
}
