package sandboxtest

import (
	"context"
	"errors"

	"github.com/dsh-go/dsh/sandbox"
)

// Options say how to run the suite. The zero value tests both modes, and the
// confinements that are an argv.
type Options struct {
	// Modes are tested in this order. Nil means read-only and then
	// workspace-write.
	Modes []sandbox.Mode
	// Limits are effects that the sandbox is known to refuse although the mode
	// allows them: a documented limit. They need not be refused.
	Limits []sandbox.Effect
	// OneAttempt has every effect attempted once at each place, by the first
	// attempt that has the effect there without a sandbox, instead of by all.
	// It is for a machine on which the suite would take minutes, an emulated one
	// say. It sees what a sandbox does not govern, but not that what it governs
	// can be had in a roundabout way.
	OneAttempt bool
	// Host is what Start can do. It is what the provider is told. With a nil
	// Start it is not looked at: the suite offers descriptors and no thread.
	Host sandbox.Host
	// Start starts a confinement and waits for its end. Nil means [Exec].
	Start func(context.Context, Launch) (Ended, error)
}

// ErrNotStarted is wrapped by errors of [Exec] for a confinement that it
// cannot start.
var ErrNotStarted = errors.New("sandboxtest: cannot start the confinement")

// Launch is one confinement to start, or for a control one that confines
// nothing. The started program inherits this process's environment. No
// descriptor but 0, 1, 2 and those of the confinement may reach it: the suite
// opens some that it looks for inside.
type Launch struct {
	*sandbox.Confinement
	// Dir is the directory to start in.
	Dir string
}

// Ended is what became of a launch.
type Ended struct {
	// ExitCode is -1 when a signal ended the program.
	ExitCode       int
	Stdout, Stderr string
	// Status is all that the runner reported, if the confinement asked for a
	// status descriptor.
	Status []byte
}

// defaults returns o with nothing left to default.
func (o Options) defaults() Options {
	if o.Modes == nil {
		o.Modes = []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite}
	}
	if o.Start == nil {
		o.Start, o.Host = Exec, sandbox.Host{FirstFD: execFD}
	}
	return o
}
