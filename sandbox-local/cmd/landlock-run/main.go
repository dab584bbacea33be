// Landlock-run confines itself with Landlock and becomes the command that it
// is given. See package landlockrun for its contract.
package main

import (
	"os"

	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
)

func main() { os.Exit(landlockrun.Main(os.Args[1:])) }
