package mcpserver

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dsh-go/dsh/tools/internal/cli"
)

// Serve serves one client until it disconnects or a signal comes. Whatever way
// it returns, no process that it started is left.
func Serve(flags cli.Confinement, std cli.Streams) error {
	parts, err := flags.Parts(std)
	if err != nil {
		return err
	}
	procs, err := parts.Processes()
	if err != nil {
		return err
	}
	end := cli.WatchSignals(procs)
	defer end.Stop()
	executor, err := parts.Executor(procs)
	if err != nil {
		return err
	}
	server, err := New(Config{
		Executor: executor, Policies: parts.Policies, Root: parts.Policies.Default().WorkspaceRoot,
		Version: cli.Version(), Logger: parts.Logger,
	})
	if err != nil {
		return err
	}
	err = server.Run(end.Ctx, &mcp.IOTransport{Reader: std.In, Writer: std.Out})
	return end.Served(procs, std, err)
}
