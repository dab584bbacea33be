// Command dsh runs a shell command under an operating-system file sandbox and
// tells the truth about what happened:
//
//	dsh run -- 'make test'
//
// See dsh help for its subcommands.
package main

import (
	"os"

	"github.com/dsh-go/dsh/tools/internal/cli"
)

func main() {
	std := cli.OwnStreams()
	os.Exit(cli.Execute(newRoot(std), os.Args[1:], std))
}
