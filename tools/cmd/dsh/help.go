package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/tools/internal/cli"
)

const completionLong = `completion prints a script that has your shell complete the subcommands of dsh,
its flags and their values. Each shell's own help says where to put it.`

const completionExample = `  # For this session of bash
  source <(dsh completion bash)

  # For every session of zsh, where $fpath has this directory
  dsh completion zsh > ~/.zsh/completions/_dsh

  # For every session of fish
  dsh completion fish > ~/.config/fish/completions/dsh.fish`

// addCompletion adds cobra's own subcommand, which takes any argument for a wish
// to see its help.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Short, cmd.Long, cmd.Example = "Print a completion script for your shell", completionLong, completionExample
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return cli.UsageError(cmd, fmt.Errorf("there is no completion for %q (there are bash, fish, powershell, zsh)", args[0]))
		}
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
}

const helpExample = `  dsh help run
  dsh run --help`

// addHelp adds a subcommand that, unlike cobra's own, fails when there is
// nothing that it could help with.
func addHelp(root *cobra.Command) {
	root.SetHelpCommand(&cobra.Command{
		Use:     "help [SUBCOMMAND]",
		Short:   "Print the help of a subcommand",
		Long:    "help prints the help of a subcommand, as its flag --help does.",
		Example: helpExample,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, cmd := range root.Commands() {
				if len(args) == 0 && cmd.IsAvailableCommand() {
					names = append(names, cmd.Name()+"\t"+cmd.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return cli.UsageError(root, fmt.Errorf("there is no subcommand %q to help with", strings.Join(args, " ")))
			}
			cmd.InitDefaultHelpFlag() // so that it is shown
			return cmd.Help()
		},
	})
	root.InitDefaultHelpCmd() // which adds it
}
