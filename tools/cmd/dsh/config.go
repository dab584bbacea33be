package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/tools/internal/cli"
	"github.com/dsh-go/dsh/tools/internal/compose"
)

const configLong = `config prints the composition that is in force, as YAML: which parts dsh is put
together from, and how each of them is configured. What it prints is valid as a
configuration file; what is left at its default is there as a comment.

Every subcommand reads one file: that of --config, or else dsh/dsh.yaml in the
user's configuration directory (on Linux ~/.config/dsh/dsh.yaml) if it exists. A
file in the working directory is not read, for a workspace must not configure its
own sandbox. A flag outranks the file, and the file the default.

The file is refused if another user can write it; and under workspace-write, if
the commands that are run could. Paths in it are absolute.

The key of the model behind dsh acp does not belong in the file and is never
printed: the file says in which variable or in which other file it is.`

const configExample = `  # What is in force, and where it comes from
  dsh config

  # Begin a configuration file of your own
  (umask 077; mkdir -p ~/.config/dsh; dsh config --no-config > ~/.config/dsh/dsh.yaml)

  # See what a file and some flags come to
  dsh config --config ./strict.yaml --runner landlock`

func newConfig(std cli.Streams) *cobra.Command {
	var flags cli.Confinement
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Print the configuration that is in force",
		Long:    configLong,
		Example: configExample,
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return printConfig(flags, std) },
	}
	flags.Register(cmd)
	return cmd
}

func printConfig(flags cli.Confinement, std cli.Streams) error {
	parts, err := flags.Parts(std)
	if err != nil {
		return err
	}
	origin, err := originOf(flags, parts.Composition)
	if err != nil {
		return err
	}
	text, err := parts.Composition.YAML()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "# %s\n\n%s", oneComment(origin), text)
	return err
}

// originOf says where a composition comes from.
func originOf(flags cli.Confinement, c compose.Composition) (string, error) {
	if c.File != "" {
		return "Read from " + c.File, nil
	}
	place, err := flags.Place()
	switch {
	case err != nil:
		return "", err
	case place == "":
		return "No file is read", nil
	default:
		return "No file is read, for there is none: " + place, nil
	}
}

// oneComment keeps a strange path from ending the comment.
func oneComment(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
