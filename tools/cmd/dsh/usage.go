package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/tools/internal/cli"
)

// oneCommand accepts exactly one argument. Several are what a shell makes of a
// command that was not quoted, so the message shows the quoting.
func oneCommand(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 1:
		return nil
	case 0:
		return cli.UsageError(cmd, errors.New("there is no command to run"))
	default:
		quoted := shellQuote(shellJoin(args))
		return cli.UsageError(cmd, fmt.Errorf("the command must be one argument, and these are %d; quote it: %s -- %s",
			len(args), cmd.CommandPath(), quoted))
	}
}

// flagError adds where a command goes: a flag that is not known is most often
// one of a command that was not quoted.
func flagError(cmd *cobra.Command, err error) error {
	run := map[string]string{"dsh": "dsh run", "run": "dsh run", "argv": "dsh argv"}[cmd.Name()]
	if run != "" && strings.HasPrefix(err.Error(), "unknown ") {
		err = fmt.Errorf("%w; a command goes after --, in quotes: %s -- 'COMMAND'", err, run)
	}
	return cli.UsageError(cmd, err)
}

// noArguments is for subcommands that have flags alone.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return cli.UsageError(cmd, fmt.Errorf("%s takes no arguments, and was given %s", cmd.CommandPath(), shellJoin(args)))
}

// noSubcommand is for a program of which the first argument is none of its
// subcommands. It may be meant as one, or as a command to run.
func noSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	advice := ""
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
		advice = "did you mean " + strings.Join(similar, " or ") + "? "
	}
	advice += "to run a command: dsh run -- " + shellQuote(shellJoin(args))
	return cli.UsageError(cmd, fmt.Errorf("there is no subcommand %q; %s", args[0], advice))
}
