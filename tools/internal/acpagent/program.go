package acpagent

import (
	"os"

	"github.com/dsh-go/dsh/tools/internal/cli"
	"github.com/dsh-go/dsh/tools/internal/compose"
)

// Serve puts an agent together and serves one client until it disconnects or a
// signal comes. It shows the seams in use: each part is made from those before
// it, and knows them by their interfaces alone. Whatever way it returns, no
// process that it started is left.
//
// A workspace that a flag or the configuration names is the root of every
// session.
func Serve(flags cli.Confinement, std cli.Streams) error {
	// Which parts there are, and who may do what: the mode and the workspace
	// root, by default and by session.
	parts, err := flags.Parts(std)
	if err != nil {
		return err
	}
	model, err := modelOf(parts.Composition.Agent)
	if err != nil {
		return err
	}
	// What starts processes, and ends them.
	procs, err := parts.Processes()
	if err != nil {
		return err
	}
	end := cli.WatchSignals(procs)
	defer end.Stop()
	// What runs bash over it, each command confined under its own policy.
	executor, err := parts.Executor(procs)
	if err != nil {
		return err
	}
	// What a client talks to.
	agent, err := New(Config{
		Executor: executor, Policies: parts.Policies, Root: parts.FixedRoot(), Model: model,
		Version: cli.Version(), Logger: parts.Logger,
	})
	if err != nil {
		return err
	}
	err = agent.Run(end.Ctx, std.In, std.Out)
	return end.Served(procs, std, err)
}

// modelOf returns the model that is configured, if there is one. Commands inherit
// this program's environment, and a key in it is none of theirs.
func modelOf(configured *compose.Agent) (*Model, error) {
	if configured == nil {
		return nil, nil
	}
	key, err := configured.Key()
	if err != nil {
		return nil, err
	}
	if configured.KeyEnv != "" {
		//nolint:forbidigo // nothing else has begun yet
		if err := os.Unsetenv(configured.KeyEnv); err != nil {
			return nil, err
		}
	}
	return &Model{Endpoint: configured.Endpoint, Name: configured.Model, Key: key}, nil
}
