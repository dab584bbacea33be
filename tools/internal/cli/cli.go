// Package cli is what dsh and the programs beside it have in common: the flags
// that say how a command is confined, how signals end the program, and with
// which exit status.
package cli

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Streams are the program's own.
type Streams struct {
	In, Out, Err *os.File
}

// OwnStreams returns those that the program was started with.
func OwnStreams() Streams { return Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr} }

// Execute runs the command line and returns the exit status. What an error has
// to say is said on std.Err.
func Execute(root *cobra.Command, args []string, std Streams) int {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return 0
	}
	failed := AsExit(err)
	if failed.Err != nil {
		fmt.Fprintln(std.Err, OneLine(failed.Err))
	}
	return failed.Status
}

// Version is the version of the module that this program was built from:
// "(devel)" in a checkout.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
