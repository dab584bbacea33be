package subprocess

import (
	"context"
	"io"

	"github.com/dsh-go/dsh/sandbox"
)

// A Service starts processes and owns them until they are gone. It is safe for
// concurrent use.
//
// The interface never grows: what a future service can do beyond it is an
// optional interface or a new field.
type Service interface {
	// Start starts what spec describes, in a session and process group of its
	// own, and returns as soon as it runs. The tree is terminated when ctx
	// ends, so ctx is the process's lifetime and not that of the call.
	//
	// An error is a [*StartError], or ctx's own error when ctx had ended
	// before. Nothing runs and nothing is left behind when there is an error.
	Start(ctx context.Context, spec Spec) (Handle, error)

	// LookPath returns the absolute path of the executable that name denotes,
	// searching the PATH of env, or of the service's own environment if env
	// sets none. Only absolute entries of PATH are searched. The error wraps
	// [ErrNotFound].
	LookPath(ctx context.Context, name string, env map[string]string) (string, error)

	// Host says what Start can do for a confinement.
	Host() sandbox.Host

	// Close terminates every process, waits for their trees, removes spill
	// files that are not to be kept, and makes later starts fail with
	// [ErrClosed]. When ctx ends, what is left is killed at once. It returns
	// an error only for what could not be ended or removed; it can be called
	// more than once.
	Close(ctx context.Context) error
}

// A Handle is one started process. Its methods may be called from any
// goroutine, also after the process has ended.
type Handle interface {
	// PID is the process id of the leader.
	PID() int

	// Pipes returns the pipes that the spec asked for.
	Pipes() Pipes

	// Stdout reads what was collected of standard output. It is nil unless the
	// spec asked to collect the stream.
	Stdout() Reader

	// Stderr is the same for standard error.
	Stderr() Reader

	// StatusReport returns a copy of all that was reported so far on the
	// status descriptor. It is nil if the spec has no Status.
	StatusReport() []byte

	// Done is closed once the outcome is known and all output that belongs to
	// it can be read.
	Done() <-chan struct{}

	// Outcome blocks until Done is closed. The error is a [*StartError] from a
	// service that learned only later that the process never started.
	Outcome() (Outcome, error)

	// Terminate begins to end the tree: politely, then after Spec.Grace by
	// force. It returns at once, and true only for the one call that began it;
	// false if it had begun before or the process had already ended.
	Terminate() bool

	// WaitTree blocks until no process of the tree is left, or ctx ends, and
	// then returns ctx's error. Descendants may outlive the leader.
	WaitTree(ctx context.Context) error
}

// Outcome is how a leader ended.
type Outcome struct {
	// ExitCode is the code with which it exited, or -1 if a signal ended it.
	ExitCode int
	// Signal is the name of the signal that ended it ("SIGKILL"), or empty.
	Signal string
	// Terminated says that this service had begun to terminate it before it
	// ended. Why it did is the caller's knowledge.
	Terminated bool
}

// Pipes are the caller's ends of the pipes that a spec asked for; the others
// are nil. The caller closes them. Writing to Stdin after the process closed
// its end fails with EPIPE.
type Pipes struct {
	// Stdin is the writing end, for a spec with StdinPipe.
	Stdin io.WriteCloser
	// Stdout and Stderr are the reading ends, for outputs whose Mode is Pipe.
	Stdout, Stderr io.ReadCloser
}

// A Reader reads a collected stream without consuming it, while it grows and
// after it has ended. It is safe for concurrent use.
type Reader interface {
	// ReadFrom returns what there is from offset on. An offset beyond the end
	// of what has arrived, or below zero, is taken for the nearest that exists.
	// With nothing new it costs no allocation.
	ReadFrom(offset int64) Chunk
}

// Chunk is a piece of a collected stream.
type Chunk struct {
	// Text is valid UTF-8. A rune that is incomplete at the end of what has
	// arrived is held back until it completes or the stream ends.
	Text string
	// Next is the offset from which to go on reading.
	Next int64
	// Lossy says that bytes between the offset asked for and the beginning of
	// Text are no longer in memory.
	Lossy bool
	// SpillPath names the file that holds the whole stream, or is empty. While
	// the stream runs the file may still grow. Once the stream has ended, an
	// incomplete file is never named.
	SpillPath string
}
