package bash

// A Process is a command in the background. Its methods may be called from any
// goroutine, also after it has ended.
type Process interface {
	// Done is closed once the command has ended and State says how.
	Done() <-chan struct{}
	// State is a snapshot.
	State() State
	// ReadOutput returns what was not read before. It consumes: consecutive
	// reads never repeat.
	ReadOutput() Delta
	// Terminate begins to end the command and everything it started. It
	// returns at once, and true only for the one call that began it; false if
	// it had begun before or the command had already ended.
	Terminate() bool
}

// Status is where a background command is in its life.
type Status string

const (
	// StatusRunning means that it has not ended, or that not all of its output
	// has been read.
	StatusRunning Status = "running"
	// StatusCompleted means that it ended by itself, whatever its exit code.
	StatusCompleted Status = "completed"
	// StatusKilled means that it ended after Terminate, its context or its
	// service had begun to terminate it.
	StatusKilled Status = "killed"
)

// State is a snapshot of a background command.
type State struct {
	// Status is where it is in its life.
	Status Status
	// ExitCode is as in [Result]; while it runs it is 0.
	ExitCode int
	// Signal is as in [Result]; while it runs it is empty.
	Signal string
	// Sandbox is nil while the command runs, and stays nil for an executor
	// that confines nothing and under danger-full-access.
	Sandbox *SandboxInfo
	// Err says why the command never ran, where that became known only after
	// Start had returned; otherwise it is nil.
	Err error
}

// Delta is what [Process.ReadOutput] returns.
type Delta struct {
	// Text is what standard output said since the last read, followed, under a
	// line "[stderr]", by what standard error said since then. It is empty if
	// there was nothing new.
	Text string
	// Lossy says that some of it was no longer in memory.
	Lossy bool
	// SpillPaths names the files that hold the whole of the streams that lost
	// something; it is empty if there are none.
	SpillPaths []string
}
