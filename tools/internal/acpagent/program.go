package acpagent

import (
	"context"
	"errors"
	"fmt"

	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
	"github.com/dsh-go/dsh/tools/internal/cli"
)

// Serve puts an agent together and serves one client until it disconnects or a
// signal comes. It shows the seams in use: each part is made from those before
// it, and knows them by their interfaces alone. Whatever way it returns, no
// process that it started is left.
//
// A fixed workspace is the root of every session.
func Serve(flags cli.Confinement, fixed bool, std cli.Streams) error {
	// Who may do what: the mode and the workspace root, by default and by
	// session.
	policies, err := flags.Policies()
	if err != nil {
		return err
	}
	root := ""
	if fixed {
		root = policies.Default().WorkspaceRoot
	}
	// What starts processes, and ends them.
	logger := flags.Logger(std)
	procs, err := subprocesslocal.New(subprocesslocal.Config{Logger: logger})
	if err != nil {
		return err
	}
	end := cli.WatchSignals(procs)
	defer end.Stop()
	// What runs bash over it, each command confined under its own policy.
	executor, err := flags.Executor(bashsandbox.Config{Logger: logger}, procs, policies)
	if err != nil {
		return err
	}
	// What a client talks to.
	agent, err := New(Config{
		Executor: executor, Policies: policies, Root: root,
		Version: cli.Version(), Logger: logger,
	})
	if err != nil {
		return err
	}
	err = agent.Run(end.Ctx, std.In, std.Out)
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
