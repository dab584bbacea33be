package compose

import (
	"errors"
	"fmt"

	bashlocal "github.com/dsh-go/dsh/bash-local"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
)

// errUnneeded is a sandbox for a shell that uses none.
var errUnneeded = errors.New("sandbox: the shell is " + unconfinedShell +
	", which confines nothing; remove this part, or have the shell be bash-sandbox")

// validate has the modules say what they cannot use, and puts the line to it.
func (c Composition) validate() error {
	if _, err := subprocesslocal.New(c.Processes); err != nil {
		return c.blame("processes", err)
	}
	if _, err := sandboxlocal.New(c.Sandbox); err != nil {
		return c.blame("sandbox", err)
	}
	if err := c.validateShell(); err != nil {
		return err
	}
	if c.Agent == nil {
		return nil
	}
	if err := c.Agent.validate(); err != nil {
		return &Error{Line: c.lines["agent"], Err: err}
	}
	return nil
}

func (c Composition) validateShell() error {
	if c.Unconfined && c.names("sandbox", "") {
		return &Error{Line: c.lines["sandbox"], Err: errUnneeded}
	}
	config := c.Shell
	config.Workdir = "/" // no key sets it, and the caller's own is not at fault
	if _, err := bashlocal.New(config, &subprocesslocal.Service{}); err != nil {
		return c.blame("shell", err)
	}
	return nil
}

// blame returns what a module says of one of its fields, with the line of the
// key that set it.
func (c Composition) blame(part string, err error) error {
	field, reason := complaint(err)
	key := keyOf(field)
	line := c.lines[place(part, key)]
	if line == 0 { // a field that is needed because of another one
		line = c.lines[part]
	}
	return &Error{Line: line, Err: fmt.Errorf("%s: %w", key, reason)}
}

// complaint returns the field that a module complains of, and the reason.
func complaint(err error) (field string, reason error) {
	var (
		process *subprocesslocal.ConfigError
		runner  *sandboxlocal.ConfigError
		bash    *bashlocal.ConfigError
	)
	switch {
	case errors.As(err, &process):
		return process.Field, fmt.Errorf("%q %w", process.Value, process.Err)
	case errors.As(err, &runner) && errors.Is(runner.Err, sandboxlocal.ErrUnknownRunner):
		return runner.Field, fmt.Errorf("%q: %w (there are %s; or the absolute path of a bwrap)", runner.Value, runner.Err, runnerNames)
	case errors.As(err, &runner) && runner.Value == "":
		return runner.Field, runner.Err
	case errors.As(err, &runner):
		return runner.Field, fmt.Errorf("%q: %w", runner.Value, runner.Err)
	case errors.As(err, &bash):
		return bash.Field, bash.Err
	default:
		return "", err
	}
}

const runnerNames = sandboxlocal.Bwrap + ", " + sandboxlocal.Landlock + ", " + sandboxlocal.Seatbelt + ", " + sandboxlocal.Custom
