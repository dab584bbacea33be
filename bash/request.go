package bash

import (
	"io"
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// Stream names an output stream.
type Stream int

// The streams, by their descriptors.
const (
	Stdout Stream = 1
	Stderr Stream = 2
)

// String returns "stdout" or "stderr".
func (s Stream) String() string {
	if s == Stderr {
		return "stderr"
	}
	return "stdout"
}

// Request is a command to run. Only Command says something that the executor
// cannot supply itself.
type Request struct {
	// Command is what bash is given with -c. It may be empty or have many
	// lines.
	Command string
	// Workdir is where it starts; empty means the executor's own default. A
	// relative path is taken from there.
	Workdir string
	// Timeout is how long a foreground run may take. Zero means the
	// executor's default; a negative one means none. Both are bounded by the
	// executor's cap, and Result.Timeout shows what was in force.
	Timeout time.Duration
	// StdoutMaxBytes is how many raw bytes of standard output are kept in
	// memory, the last ones. Zero means the executor's default.
	StdoutMaxBytes int
	// Stdin is what the command reads. Nil means that it reads nothing.
	Stdin io.Reader
	// Env holds entries to set for the command; they win over the executor's
	// own. Nil means none.
	Env map[string]string
	// Managed holds DSH_* entries, which the command's environment carries
	// whatever else is set. Nil means none.
	Managed map[string]string
	// Policy is the policy of this call. Nil means the executor's default.
	Policy *sandbox.Policy
	// Observe, if set, is called with every chunk of output as it arrives. It
	// must not keep the chunk, it holds the stream up while it runs, and its
	// calls for one command never overlap.
	Observe func(stream Stream, chunk []byte)
}

// Spec is a resolved request: nothing is left to default. An executor takes
// only specs that its own Resolve made.
type Spec struct {
	// Command is what bash is given with -c.
	Command string
	// Workdir is absolute.
	Workdir string
	// Timeout is how long a foreground run may take; zero means without bound.
	Timeout time.Duration
	// StdoutMaxBytes and StderrMaxBytes are how many raw bytes of each stream,
	// the last ones, are kept in memory.
	StdoutMaxBytes, StderrMaxBytes int
	// Stdin is what the command reads. Nil means that it reads nothing.
	Stdin io.Reader
	// Env is what Request.Env said over the executor's own entries.
	Env map[string]string
	// Managed holds the DSH_* entries. Nil means none.
	Managed map[string]string
	// Policy is the policy of this call.
	Policy sandbox.Policy
	// Observe is as in [Request]. Nil means that nobody looks.
	Observe func(stream Stream, chunk []byte)
}
