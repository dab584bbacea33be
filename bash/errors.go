package bash

import (
	"errors"
	"fmt"
)

// ErrCannotConfine is returned by an executor that confines nothing for a
// policy that confines. It never runs the command instead.
var ErrCannotConfine = errors.New("bash: this executor cannot confine a command, and the policy asks for it")

// InvalidRequestError is a request with which no command can be run.
type InvalidRequestError struct {
	// Field is the field of [Request] that is at fault.
	Field string
	// Err is the reason, never nil.
	Err error
}

// Error names the field and the reason.
func (e *InvalidRequestError) Error() string {
	return fmt.Sprintf("bash: invalid request: %s: %v", e.Field, e.Err)
}

// Unwrap returns the reason, which may be a
// [*github.com/dsh-go/dsh/bash/subprocess.TooLongError].
func (e *InvalidRequestError) Unwrap() error { return e.Err }

// WorkdirError is a working directory in which nothing can be started. It is
// the caller's to mend, and says nothing about bash or the sandbox.
type WorkdirError struct {
	// Dir is the directory as it was to be entered.
	Dir string
	// Err is the reason, never nil.
	Err error
}

// Error names the directory and the reason.
func (e *WorkdirError) Error() string {
	return fmt.Sprintf("bash: cannot start in the working directory %q: %v", e.Dir, e.Err)
}

// Unwrap returns the reason.
func (e *WorkdirError) Unwrap() error { return e.Err }

// ShellNotFoundError means that there is no bash to run. It is looked for
// before anything is confined, so it is never the sandbox's doing.
type ShellNotFoundError struct {
	// Shell is the name or path that was looked for.
	Shell string
	// Err is the reason, never nil.
	Err error
}

// Error names the shell and the reason.
func (e *ShellNotFoundError) Error() string {
	return fmt.Sprintf("bash: cannot find the shell %q: %v", e.Shell, e.Err)
}

// Unwrap returns the reason.
func (e *ShellNotFoundError) Unwrap() error { return e.Err }
