package main

import (
	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/tools/internal/cli"
	"github.com/dsh-go/dsh/tools/internal/mcpserver"
)

const mcpLong = `mcp serves a bash tool to any client of the Model Context Protocol, over standard
input and output. Each command that the model runs is confined like one of dsh
run. The tools are bash, task_output, task_list and task_kill.

A model may ask for one command to run under a wider mode. The client then asks
its user (it needs the protocol's elicitation for that); without a user's yes
nothing runs. A yes is good for that one command.

When the client cancels a call its command ends. When the client disconnects, or
dsh gets SIGTERM, every command ends, also those in the background.`

const mcpExample = `  # What most clients want in their configuration
  {
    "mcpServers": {
      "dsh": {
        "command": "dsh",
        "args": ["mcp", "--mode", "workspace-write", "--workspace", "/home/me/project"]
      }
    }
  }

  # See what it selects, probes and starts
  dsh mcp --verbose --runner landlock 2>dsh.log`

func newMCP(std cli.Streams) *cobra.Command {
	var flags cli.Confinement
	cmd := &cobra.Command{
		Use:     "mcp [flags]",
		Short:   "Serve a confined bash tool over the Model Context Protocol",
		Long:    mcpLong,
		Example: mcpExample,
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return mcpserver.Serve(flags, std) },
	}
	flags.Register(cmd)
	return cmd
}
