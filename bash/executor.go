package bash

import (
	"context"

	"github.com/dsh-go/dsh/sandbox"
)

// An Executor runs bash commands. It is safe for concurrent use.
//
// The interface never grows: what a future executor can do beyond it is an
// optional interface, such as [Confining], or a new field.
type Executor interface {
	// Resolve fills what req leaves out, clamps what exceeds the executor's
	// limits, and reports what is wrong with the rest: an
	// [*InvalidRequestError] or an error of the sandbox package. It starts
	// nothing.
	Resolve(req Request) (Spec, error)

	// Run runs a command and blocks until it has ended. When ctx ends, the
	// command is terminated and the result is Aborted.
	//
	// An error is for infrastructure only: a [*WorkdirError], a
	// [*ShellNotFoundError], an [*InvalidRequestError], ctx's own error when
	// it had ended before the start, or an error of the sandbox package. The
	// result beside an error holds what was collected.
	Run(ctx context.Context, spec Spec) (Result, error)

	// Start starts a command in the background and returns as soon as it
	// runs. It has no timeout: Spec.Timeout is ignored. The command is
	// terminated when ctx ends, so ctx is the command's lifetime. Errors are
	// as for Run.
	Start(ctx context.Context, spec Spec) (Process, error)
}

// Confining is implemented by executors that confine.
type Confining interface {
	// SandboxMode is the mode of a request that names no policy.
	SandboxMode() sandbox.Mode
}

// Run resolves req and runs it.
func Run(ctx context.Context, e Executor, req Request) (Result, error) {
	spec, err := e.Resolve(req)
	if err != nil {
		return Result{}, err
	}
	return e.Run(ctx, spec)
}

// Start resolves req and starts it in the background.
func Start(ctx context.Context, e Executor, req Request) (Process, error) {
	spec, err := e.Resolve(req)
	if err != nil {
		return nil, err
	}
	return e.Start(ctx, spec)
}
