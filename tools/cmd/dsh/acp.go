package main

import (
	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/tools/internal/acpagent"
	"github.com/dsh-go/dsh/tools/internal/cli"
)

const acpLong = `acp is an agent for editors that speak the Agent Client Protocol, over standard
input and output. Each prompt is a command, and is confined like one of dsh run.

The session's directory, which the editor names, is the workspace. With
--workspace every session has that one, and must begin in it.

When a command was denied, the editor asks its user whether to run it once more
under the next wider mode; a yes is good for that one run. The three modes are
the session's modes, which the user can also choose in the editor.

When the user cancels, the command ends. When the editor disconnects, or dsh gets
SIGTERM, every command ends. MCP servers that the editor offers are not used.`

const acpExample = `  # In Zed's settings
  {
    "agent_servers": {
      "dsh": {
        "command": "dsh",
        "args": ["acp", "--mode", "workspace-write"]
      }
    }
  }

  # See what it selects, probes and starts
  dsh acp --verbose --runner landlock 2>dsh.log`

func newACP(std cli.Streams) *cobra.Command {
	flags := cli.Confinement{SessionRoots: true}
	cmd := &cobra.Command{
		Use:     "acp [flags]",
		Short:   "Serve an agent with a confined bash tool over the Agent Client Protocol",
		Long:    acpLong,
		Example: acpExample,
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return acpagent.Serve(flags, std) },
	}
	flags.Register(cmd)
	return cmd
}
