package subprocesslocal

import (
	"context"
	"errors"
	"fmt"

	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

// Service is a [subprocess.Service] for this machine. The zero value is ready
// to use. It is safe for concurrent use and must not be copied.
//
// A service that has started something holds a thread until Close, so it is to
// be closed even if all its processes have ended.
type Service struct {
	config Config
	engine engine
}

var _ subprocess.Service = (*Service)(nil)

// New returns a service with a configuration. The error is a [*ConfigError].
func New(config Config) (*Service, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	return &Service{config: config.clone()}, nil
}

// Start implements [subprocess.Service]. A process leads a session of its own,
// so it has no controlling terminal, and gets no descriptors but 0, 1, 2 and
// those that spec names. It inherits the scheduling and limits of this
// program. With a Restrict, the process starts from a thread that is destroyed
// afterwards; otherwise from one that lives until Close, so that a program
// that asked to die with its parent thread lives as long as the service.
func (s *Service) Start(ctx context.Context, spec subprocess.Spec) (subprocess.Handle, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := validate(spec); err != nil {
		return nil, startError(spec, subprocess.StageValidate, err)
	}
	return s.engine.start(ctx, spec, s.config)
}

// LookPath implements [subprocess.Service]. A name with a slash denotes itself
// and must be absolute. The error is an [*exec.Error].
func (s *Service) LookPath(ctx context.Context, name string, env map[string]string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return lookPath(name, env)
}

// Host implements [subprocess.Service].
func (s *Service) Host() sandbox.Host { return host }

// Close implements [subprocess.Service]. The error is a [*SurvivorsError], an
// error about a spill file that could not be removed, or both joined.
func (s *Service) Close(ctx context.Context) error { return s.engine.close(ctx, s.config) }

// ErrStatusLost is the reason inside Outcome's error when somebody else in
// this program took the exit status of a process, by waiting for any child
// (wait4 with -1). How the process ended is then unknown.
var ErrStatusLost = errors.New("subprocesslocal: another wait in this program took the exit status")

// SurvivorsError is what Close returns when processes could not be ended: they
// run as another user, or hang inside the kernel.
type SurvivorsError struct {
	// PIDs are the leaders of the trees that did not end. It is empty if only
	// descendants of leaders long gone are left.
	PIDs []int
}

// Error lists the process ids.
func (e *SurvivorsError) Error() string {
	if len(e.PIDs) == 0 {
		return "subprocesslocal: descendants of processes that had ended could not be ended"
	}
	return fmt.Sprintf("subprocesslocal: processes that could not be ended: the trees of %v", e.PIDs)
}

// startError is a start that failed at stage.
func startError(spec subprocess.Spec, stage subprocess.Stage, err error) *subprocess.StartError {
	failure := &subprocess.StartError{Stage: stage, Dir: spec.Dir, Err: err}
	if len(spec.Argv) > 0 {
		failure.Program = spec.Argv[0]
	}
	return failure
}
