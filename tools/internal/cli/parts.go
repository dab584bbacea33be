package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"

	"github.com/dsh-go/dsh/bash"
	bashlocal "github.com/dsh-go/dsh/bash-local"
	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
	"github.com/dsh-go/dsh/tools/internal/compose"
)

// Parts makes the parts of a composition. A program may change the composition
// before it has the parts made.
type Parts struct {
	Composition compose.Composition
	Policies    Policies
	// Logger tells what the parts do, or discards it. Never nil.
	Logger *slog.Logger
}

// Parts reads the composition and makes the policies. Nothing is looked up or
// started yet. That commands are not confined because a file says so, and not
// the command line, is said on std.Err.
func (f *Confinement) Parts(std Streams) (*Parts, error) {
	c, err := f.Compose()
	if err != nil {
		return nil, err
	}
	p := &Parts{Composition: c, Logger: f.Logger(std)}
	p.Logger.Debug("composition", "file", c.File, "shell", c.ShellModule())
	if p.Policies, err = f.policies(c); err != nil {
		return nil, err
	}
	if c.Policy.WorkspaceRoot != "" {
		p.Composition.Policy.WorkspaceRoot = p.Policies.Default().WorkspaceRoot
	}
	if !c.Mode().Confines() && !f.given.Changed("mode") {
		fmt.Fprintf(std.Err, "dsh: commands are not confined: %s says mode: %s\n", c.Where("policy", "mode"), c.Mode())
	}
	p.Composition.Processes.Logger = p.Logger
	p.Composition.Sandbox.Logger = p.Logger
	p.Composition.Shell.Logger = p.Logger
	return p, nil
}

// policies makes the policies, and puts to an error which flag or line it is
// about.
func (f *Confinement) policies(c compose.Composition) (Policies, error) {
	made, err := sandboxpolicy.New(c.Policy)
	if f.SessionRoots && c.Policy.WorkspaceRoot == "" && errors.Is(err, sandbox.ErrRootTooWide) {
		// An editor may start it in /. No call is without a session, whose root
		// counts; every session can write to this one anyway.
		made, err = sandboxpolicy.New(sandboxpolicy.Config{Mode: c.Policy.Mode, WorkspaceRoot: "/tmp"})
	}
	var invalid *sandbox.InvalidPolicyError
	switch {
	case err == nil:
	case !errors.As(err, &invalid):
		return Policies{}, err
	case f.given.Changed("workspace"):
		return Policies{}, &FlagError{"workspace", fmt.Errorf("%s: %w", f.workspace, invalid.Err)}
	case c.Where("policy", "workspace-root") != "":
		return Policies{}, fmt.Errorf("%s: workspace-root: %q: %w", c.Where("policy", "workspace-root"), c.Policy.WorkspaceRoot, invalid.Err)
	default:
		return Policies{}, fmt.Errorf("%w (the working directory; --workspace names another)", err)
	}
	watched, err := f.Place()
	if err != nil {
		return Policies{}, err
	}
	policies := Policies{made, watched, c.Programs()}
	if f.SessionRoots && c.Policy.WorkspaceRoot == "" {
		return policies, nil
	}
	return policies, policies.check(made.Default())
}

// Policies are those of sandbox-policy, and refuse one under which commands
// could write the file that says how they are confined, or a program that it
// names for that.
type Policies struct {
	*sandboxpolicy.Policies
	file     string
	programs []string
}

// Resolve returns the policy that req selects.
func (p Policies) Resolve(req sandbox.PolicyRequest) (sandbox.Policy, error) {
	policy, err := p.Policies.Resolve(req)
	if err != nil {
		return policy, err
	}
	if err := p.check(policy); err != nil {
		return sandbox.Policy{}, err
	}
	return policy, nil
}

func (p Policies) check(policy sandbox.Policy) error {
	for _, program := range p.programs {
		if err := compose.CheckProgram(program, policy); err != nil {
			return err
		}
	}
	return compose.CheckExposed(p.file, policy)
}

// FixedRoot returns the workspace root that a flag or the file names, canonical,
// or "".
func (p *Parts) FixedRoot() string { return p.Composition.Policy.WorkspaceRoot }

// Processes makes what starts processes, and ends them. What a command hides
// ends with the program, unless the composition's mode does not confine: then a
// daemon may be what the user wants.
func (p *Parts) Processes() (*subprocesslocal.Service, error) {
	if err := CheckSystem(runtime.GOOS); err != nil {
		return nil, err
	}
	config := p.Composition.Processes
	config.Subreaper = !p.Composition.Unconfined && p.Composition.Mode().Confines()
	return subprocesslocal.New(config)
}

// Provider makes what confines.
func (p *Parts) Provider() (*sandboxlocal.Provider, error) {
	return sandboxlocal.New(p.Composition.Sandbox)
}

// Executor makes what runs bash over procs: each command confined under its
// policy, or, if the composition says so, none.
func (p *Parts) Executor(procs subprocess.Service) (bash.Executor, error) {
	if p.Composition.Unconfined {
		return bashlocal.New(p.Composition.Shell, procs)
	}
	provider, err := p.Provider()
	if err != nil {
		return nil, err
	}
	return bashsandbox.New(p.Composition.Shell, procs, provider, p.Policies)
}
