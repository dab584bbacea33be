package sandboxlocal

import (
	"errors"
	"fmt"
)

// The reasons inside a [*ConfigError].
var (
	ErrUnknownRunner       = errors.New("no such runner")
	ErrRepeatedRunner      = errors.New("named twice")
	ErrNoRunnerCommand     = errors.New("the configured runner is named, but no command is configured for it")
	ErrUnusedRunnerCommand = errors.New("a command is configured, but the runners that are named leave it out")
	ErrBlank               = errors.New("must not be blank")
	ErrNoSignatures        = errors.New("a configured runner needs at least one signature by which its own failure is known")
	ErrSeveralLines        = errors.New("must be one line")
	ErrNegative            = errors.New("must not be negative")
	ErrNotAbsolute         = errors.New("must be an absolute path")
	ErrNUL                 = errors.New("holds a NUL byte")
)

// ConfigError is a configuration that cannot be used.
type ConfigError struct {
	// Field is the field of [Config] at fault.
	Field string
	// Value is what it was set to, in part.
	Value string
	// Err is the reason, never nil.
	Err error
}

// Error names the field, its value and the reason.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("sandboxlocal: Config.%s %q: %v", e.Field, e.Value, e.Err)
}

// Unwrap returns the reason.
func (e *ConfigError) Unwrap() error { return e.Err }

// ErrRootNotCanonical is the reason inside a [*sandbox.InvalidPolicyError] when
// the workspace root leads through a symbolic link. The root of a policy is
// canonical when the policy is made ([sandbox.Canonical]); a link that is there
// later was put there since, and what it leads to was never meant to be
// writable.
var ErrRootNotCanonical = errors.New("workspace root leads through a symbolic link; a policy holds its canonical path")

// The reasons inside a [*RequestError], besides [ErrNUL] and [ErrNotAbsolute].
var (
	ErrNoArgv     = errors.New("there is nothing to start")
	ErrBadEnvName = errors.New("is not the name of a variable")
	ErrBadProgram = errors.New("a program whose path holds \"=\" cannot be given variables here")
)

// RequestError is a [sandbox.Request] that cannot be started under any policy.
// It says nothing about the sandbox.
type RequestError struct {
	// Field is the field of [sandbox.Request] at fault.
	Field string
	// Value is the offending element; for the environment its name alone.
	Value string
	// Err is the reason, never nil.
	Err error
}

// Error names the field, the offending element and the reason.
func (e *RequestError) Error() string {
	return fmt.Sprintf("sandboxlocal: Request.%s %q: %v", e.Field, e.Value, e.Err)
}

// Unwrap returns the reason.
func (e *RequestError) Unwrap() error { return e.Err }

// HiddenDirError is a working directory that exists, but that the runner hides
// from the command: another file system lies over it. The command was not run;
// it would have found itself somewhere else.
type HiddenDirError struct {
	// Runner names the backend, as in [sandbox.Report].
	Runner string
	// Dir is the working directory, canonical.
	Dir string
	// Under is what hides it.
	Under string
}

// Error names the directory, the runner and what hides it.
func (e *HiddenDirError) Error() string {
	return fmt.Sprintf("sandboxlocal: working directory %q cannot be used: %s gives the command a %s of its own, "+
		"which hides it; use a directory elsewhere, or one beneath the workspace root", e.Dir, e.Runner, e.Under)
}

// Errors about a runner program, inside the reasons of an unavailable error.
var (
	errNotFound      = errors.New("not found on PATH")
	errNotExecutable = errors.New("cannot be executed")
	errUntrusted     = errors.New("lies where confined commands may write; " +
		"name it by its absolute path in the configuration to use it all the same")
	errWrongSystem = errors.New("not available on this operating system")
	errNoThread    = errors.New("the caller cannot confine the thread from which it starts a command")
	errTimeout     = errors.New("did not answer in time")
	errNotDenied   = errors.New("a write that must be denied was not")
)
