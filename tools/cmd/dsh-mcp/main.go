// Command dsh-mcp serves a confined bash tool over the Model Context Protocol.
// It is what dsh mcp becomes; see dsh mcp --help.
package main

import (
	"os"

	"github.com/dsh-go/dsh/tools/internal/cli"
	"github.com/dsh-go/dsh/tools/internal/mcpserver"
)

func main() { os.Exit(mcpserver.Main(os.Args[1:], cli.OwnStreams())) }
