package bashlocal

import (
	"context"
	"time"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/bash/subprocess"
)

// RunLaunch runs launch in the foreground, as [bash.Executor.Run] does. Errors
// are those of Run, and a [*subprocess.StartError] where the launch's program
// is not bash or its Restrict failed. Once it returns after a timeout or a
// cancellation, nothing that the command started is left.
func (e *Executor) RunLaunch(ctx context.Context, spec bash.Spec, launch Launch) (bash.Result, error) {
	if ctx.Err() != nil {
		return bash.Result{}, context.Cause(ctx)
	}
	// The context is watched here, where its end can be told from a timeout.
	handle, err := e.start(context.WithoutCancel(ctx), spec, launch)
	if err != nil {
		return bash.Result{Timeout: spec.Timeout}, err
	}
	result := bash.Result{Timeout: spec.Timeout}
	e.wait(ctx, handle, &result)
	outcome, err := handle.Outcome()
	if err != nil {
		err = e.startError(spec, err)
	}
	result.ExitCode, result.Signal = outcome.ExitCode, outcome.Signal
	result.Stdout, result.Stderr = collected(handle.Stdout()), collected(handle.Stderr())
	if launch.Settle != nil {
		result.Sandbox = launch.Settle(Settlement{Outcome: outcome, Err: err, Report: handle.StatusReport()})
	}
	e.config.Logger.Debug("ended", "pid", handle.PID(), "exit", result.ExitCode, "signal", result.Signal,
		"timed out", result.TimedOut, "aborted", result.Aborted)
	return result, err
}

// wait blocks until the command has ended, and ends it at its timeout or when
// ctx ends. What did so first is noted; a command that was ended already, or
// by somebody else, is neither timed out nor aborted.
func (e *Executor) wait(ctx context.Context, handle subprocess.Handle, result *bash.Result) {
	var timeout <-chan time.Time
	if result.Timeout > 0 {
		timer := time.NewTimer(result.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-handle.Done():
		return
	case <-ctx.Done():
		result.Aborted = handle.Terminate()
	case <-timeout:
		result.TimedOut = handle.Terminate()
	}
	<-handle.Done()
	if result.Aborted || result.TimedOut {
		// Bounded: whatever is left is killed after the grace.
		_ = handle.WaitTree(context.WithoutCancel(ctx))
	}
}

func collected(reader subprocess.Reader) bash.Output {
	chunk := reader.ReadFrom(0)
	output := bash.Output{Text: chunk.Text, Truncated: chunk.Lossy}
	if chunk.Lossy {
		output.SpillPath = chunk.SpillPath
	}
	return output
}
