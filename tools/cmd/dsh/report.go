package main

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/bash/bashtool"
	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/cli"
)

// A reporter tells the user what a command did.
type reporter interface {
	// observe takes the output as it comes.
	observe(stream bash.Stream, chunk []byte)
	// conclude reports the end and returns how the program ends.
	conclude(result bash.Result, err error) error
}

func newReporter(flags runFlags, std cli.Streams, end *cli.Ending) reporter {
	if flags.json {
		return &jsonReporter{out: std.Out, end: end}
	}
	return &streamReporter{out: std.Out, err: std.Err, end: end}
}

// exitOf returns how the program ends for a command that ran.
func exitOf(result bash.Result, end *cli.Ending) error {
	status := 0
	switch {
	case result.Aborted:
		status, _ = end.Status()
	case result.TimedOut:
		status = cli.StatusTimeout
	case result.Signal != "":
		status = cli.StatusSignal + signalNumber(result.Signal)
	default:
		status = result.ExitCode
	}
	if status == 0 {
		return nil
	}
	return &cli.ExitError{Status: status}
}

// failureOf returns how the program ends when the command could not be run.
func failureOf(err error, end *cli.Ending) error {
	if status, asked := end.Status(); asked {
		return &cli.ExitError{Status: status}
	}
	return &cli.ExitError{Status: cli.StatusFailure, Err: err}
}

// streamReporter passes output on and adds a line for each fact that the exit
// status does not tell.
type streamReporter struct {
	out, err io.Writer
	end      *cli.Ending
	unheard  sync.Once
}

func (r *streamReporter) observe(stream bash.Stream, chunk []byte) {
	to := r.out
	if stream == bash.Stderr {
		to = r.err
	}
	if _, err := to.Write(chunk); err != nil {
		// Nobody reads any more; a program of its own would get SIGPIPE now.
		r.unheard.Do(func() { r.end.Cancel(&cli.EndedBy{Signal: syscall.SIGPIPE}) })
	}
}

func (r *streamReporter) conclude(result bash.Result, err error) error {
	if err != nil {
		return failureOf(err, r.end)
	}
	for _, line := range facts(result) {
		fmt.Fprintln(r.err, line)
	}
	return exitOf(result, r.end)
}

// facts returns what is to be said about a result besides its exit status.
func facts(result bash.Result) []string {
	var lines []string
	if s := result.Sandbox; s != nil && s.Denied {
		lines = append(lines, sandbox.DenialMarker(s.Mode), nextStep(s.Mode))
	}
	if result.TimedOut {
		lines = append(lines, bashtool.TimeoutMarker(result.Timeout.Milliseconds()))
	}
	if result.Signal != "" {
		lines = append(lines, bashtool.ExitStatus{Code: -1, Signal: result.Signal}.Marker())
	}
	return lines
}

// nextStep says what the user can do about a denial.
func nextStep(mode sandbox.Mode) string {
	if mode == sandbox.ReadOnly {
		return "dsh: if the command may change files beneath a directory, rerun with --mode workspace-write --workspace DIR"
	}
	return "dsh: writing is possible beneath the workspace and in /tmp; rerun with another --workspace DIR, " +
		"or unconfined with --mode danger-full-access"
}

// errorCode returns the stable name of what kind of failure err is.
func errorCode(err error) string {
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return coded.Code()
	}
	for _, kind := range []struct {
		code string
		is   bool
	}{
		{"INVALID_POLICY", is[*sandbox.InvalidPolicyError](err)},
		{"INVALID_REQUEST", is[*bash.InvalidRequestError](err)},
		{"WORKDIR_UNUSABLE", is[*bash.WorkdirError](err)},
		{"SHELL_NOT_FOUND", is[*bash.ShellNotFoundError](err)},
		{"INTERRUPTED", is[*cli.EndedBy](err)},
	} {
		if kind.is {
			return kind.code
		}
	}
	return "FAILED"
}

func is[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}
