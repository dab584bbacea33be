package bash

import (
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// Result is what a foreground command did.
type Result struct {
	// ExitCode is the command's, or -1 if a signal ended it.
	ExitCode int
	// Signal is the name of the signal that ended it ("SIGKILL"), or empty.
	// Under a runner that passes a signal death on as an exit code it is empty
	// and ExitCode is 128 plus the signal's number.
	Signal string
	// TimedOut says that the timeout ended the command. One that traps the
	// polite signal and exits 0 is still TimedOut.
	TimedOut bool
	// Aborted says that the caller's context ended the command. TimedOut and
	// Aborted are never both true: the first cause wins.
	Aborted bool
	// Timeout is the timeout that was in force; zero means none.
	Timeout time.Duration
	// Stdout and Stderr are what was collected of the streams.
	Stdout, Stderr Output
	// Sandbox is nil for an executor that confines nothing.
	Sandbox *SandboxInfo
}

// Output is what was collected of one stream.
type Output struct {
	// Text is valid UTF-8: the tail of the stream, or all of it.
	Text string
	// Truncated says that Text is not all of it.
	Truncated bool
	// SpillPath names the file that holds the whole stream when Truncated, or
	// is empty when there is none.
	SpillPath string
}

// SandboxInfo is what is known about a command's confinement.
type SandboxInfo struct {
	// Mode is the mode that the command ran under, or was to.
	Mode sandbox.Mode
	// Denied says that the command failed and that a file access of it was
	// refused. It is conservative: a command that hides a refusal or exits 0
	// after one is not Denied.
	Denied bool
	// Enforcement says how completely it was confined. Like Runner and Gaps it
	// is empty under danger-full-access, and after a failure before a runner
	// was chosen.
	Enforcement sandbox.Enforcement
	// Runner is the name of what confined it ("bwrap").
	Runner string
	// Gaps are what the runner does not govern here: non-empty exactly when
	// Enforcement is partial. They must not be changed.
	Gaps []sandbox.Gap
	// RunnerFailed says that the sandbox failed and the command did not run.
	RunnerFailed bool
	// Detail is the runner's own word for why it failed, or empty.
	Detail string
}
