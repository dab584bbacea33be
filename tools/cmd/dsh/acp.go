package main

import (
	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/tools/internal/acpagent"
	"github.com/dsh-go/dsh/tools/internal/cli"
)

const acpLong = `acp is an agent for editors that speak the Agent Client Protocol, over standard
input and output. Each command that it runs is confined like one of dsh run.

Without a model each prompt is the command to run. When it was denied, the editor
asks whether to run it once more under the next wider mode. With a model in the
configuration (see dsh config --help) the model answers, and runs commands; it
may ask for a wider mode for one of them. Either way a yes is good for one run.

The session's directory, which the editor names, is the workspace. With
--workspace every session has that one, and must begin in it. The three modes are
the session's modes, which the user can also choose in the editor.

When the user cancels, the command ends. When the editor disconnects, or dsh gets
SIGTERM, every command ends. MCP servers that the editor offers are not used.`

const acpExample = `  # In Zed's settings
  {
    "agent_servers": {
      "dsh": {
        "type": "custom",
        "command": "dsh",
        "args": ["acp", "--mode", "workspace-write"]
      }
    }
  }

  # Let a model answer: in the configuration
  - id: agent
    name: tools
    config:
      endpoint: https://api.example.com/v1
      model: name-of-the-model
      key-env: MODEL_KEY

  # See what it selects, probes and starts
  dsh acp --verbose --runner landlock 2>dsh.log`

func newACP(std cli.Streams) *cobra.Command {
	flags := cli.Confinement{SessionRoots: true}
	cmd := &cobra.Command{
		Use:     "acp [flags]",
		Short:   "Serve an agent with a confined bash tool over the Agent Client Protocol",
		Long:    acpLong,
		Example: acpExample,
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return acpagent.Serve(flags, std) },
	}
	flags.Register(cmd)
	return cmd
}
