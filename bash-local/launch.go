package bashlocal

import (
	"context"
	"errors"
	"io/fs"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

// Launch is what is really started for a command. [Executor.Prepare] gives the
// unconfined one; an executor that confines changes it.
type Launch struct {
	// Argv is the program, by its absolute path, and its arguments.
	Argv []string
	// Env, like the four fields after it, is as in [subprocess.Spec].
	Env map[string]string
	// Unset names the entries that the program must not inherit.
	Unset []string
	// Inputs are the content of descriptors beyond the standard ones.
	Inputs [][]byte
	// Status is how a runner reports, or nil.
	Status *sandbox.Status
	// Restrict is run on the thread that starts the program, or nil.
	Restrict func() error
	// ObserveStderr, if set, is called with every chunk of standard error, in
	// order, before the spec's own observer. It must not keep the chunk.
	ObserveStderr func(chunk []byte)
	// SpillOutside lists canonical directories in which spill files must not
	// lie.
	SpillOutside []string
	// Settle, if set, is called once after the command has ended and before
	// anybody can see that it has, and returns the sandbox facts.
	Settle func(Settlement) *bash.SandboxInfo
}

// Settlement is what is known about a launch that has ended.
type Settlement struct {
	// Outcome is how the started process ended.
	Outcome subprocess.Outcome
	// Err is the error of a service that learned only after Start that the
	// command never ran; the outcome then means nothing.
	Err error
	// Report is all that the runner reported on its status descriptor.
	Report []byte
}

// spec returns what the process service is asked to start.
func (e *Executor) spec(spec bash.Spec, launch Launch) subprocess.Spec {
	return subprocess.Spec{
		Argv:     launch.Argv,
		Dir:      spec.Workdir,
		Env:      launch.Env,
		Unset:    launch.Unset,
		Managed:  spec.Managed,
		Stdin:    spec.Stdin,
		Stdout:   e.output(spec.StdoutMaxBytes, launch, observer(spec, bash.Stdout, nil)),
		Stderr:   e.output(spec.StderrMaxBytes, launch, observer(spec, bash.Stderr, launch.ObserveStderr)),
		Grace:    e.config.Grace,
		Inputs:   launch.Inputs,
		Status:   launch.Status,
		Restrict: launch.Restrict,
	}
}

func (e *Executor) output(maxBytes int, launch Launch, observe func([]byte)) subprocess.Output {
	output := subprocess.Output{Mode: subprocess.Collect, MaxBytes: maxBytes, Observe: observe}
	if e.config.SpillBytes > 0 {
		output.Spill = &subprocess.Spill{MaxBytes: e.config.SpillBytes, Outside: launch.SpillOutside}
	}
	return output
}

// observer joins the launch's observer and the spec's; nil if there is none.
func observer(spec bash.Spec, stream bash.Stream, first func([]byte)) func([]byte) {
	if spec.Observe == nil {
		return first
	}
	return func(chunk []byte) {
		if first != nil {
			first(chunk)
		}
		spec.Observe(stream, chunk)
	}
}

// start starts a launch. The tree is terminated when lifetime ends.
func (e *Executor) start(lifetime context.Context, spec bash.Spec, launch Launch) (subprocess.Handle, error) {
	handle, err := e.procs.Start(lifetime, e.spec(spec, launch))
	if err != nil {
		return nil, e.startError(spec, err)
	}
	e.config.Logger.Debug("started", "program", launch.Argv[0], "pid", handle.PID(), "dir", spec.Workdir)
	return handle, nil
}

// startError puts a failed start in this package's terms. A failure of a
// program other than bash, or of Restrict, is left as it is: what it means is
// known to whoever made the launch.
func (e *Executor) startError(spec bash.Spec, err error) error {
	var failed *subprocess.StartError
	if !errors.As(err, &failed) {
		return err
	}
	switch failed.Stage {
	case subprocess.StageDirectory:
		return &bash.WorkdirError{Dir: spec.Workdir, Err: failed.Err}
	case subprocess.StageValidate:
		return requestError(failed)
	case subprocess.StageExec:
		if shell := e.shell.Load(); shell != nil && *shell == failed.Program && isMissing(failed.Err) {
			e.shell.CompareAndSwap(shell, nil) // look again next time
			return &bash.ShellNotFoundError{Shell: failed.Program, Err: failed.Err}
		}
	}
	return err
}

// isMissing reports whether a program is gone or lost its permission to be
// executed, as opposed to a kernel that is out of processes or memory.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// requestError names the field of the request that a refused spec came from.
func requestError(failed *subprocess.StartError) error {
	field := "Command"
	var invalid *subprocess.InvalidSpecError
	var tooLong *subprocess.TooLongError
	switch {
	case errors.As(failed.Err, &tooLong):
		if tooLong.Field == "Env" {
			field = "Env"
		}
	case errors.As(failed.Err, &invalid):
		field = map[string]string{"Argv": "Command", "Dir": "Workdir"}[invalid.Field]
		field = orDefault(field, invalid.Field)
	default:
		return failed // not about the request: the service is closed or cannot do it
	}
	return &bash.InvalidRequestError{Field: field, Err: failed.Err}
}
