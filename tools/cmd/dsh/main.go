// Command dsh runs a shell command under an operating-system file sandbox and
// tells the truth about what happened:
//
//	dsh run -- 'make test'
//
// See dsh help for its subcommands.
package main

import (
	"fmt"
	"os"
)

func main() {
	os.Exit(execute(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// streams are the program's own.
type streams struct {
	in, out, err *os.File
}

// execute runs the command line and returns the exit status.
func execute(args []string, std streams) int {
	root := newRoot(std)
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return 0
	}
	failed := asExit(err)
	if failed.err != nil {
		fmt.Fprintln(std.err, oneLine(failed.err))
	}
	return failed.status
}
