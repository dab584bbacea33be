package mcpserver

import (
	"context"
	"errors"
	"fmt"

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
	// Politely also after a signal: a second one has it done at once.
	if closeErr := procs.Close(context.Background()); closeErr != nil {
		fmt.Fprintln(std.Err, cli.OneLine(closeErr))
	}
	var by *cli.EndedBy
	if errors.As(err, &by) {
		status, _ := end.Status()
		return &cli.ExitError{Status: status}
	}
	return err
}
