package bashlocal

import (
	"context"
	"errors"
	"testing"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

// fakeService finds every program in /found and starts what it is told to.
type fakeService struct {
	looked   int
	lookErr  error
	started  []subprocess.Spec
	startErr error
	handle   *fakeHandle
}

func (s *fakeService) Start(_ context.Context, spec subprocess.Spec) (subprocess.Handle, error) {
	s.started = append(s.started, spec)
	if s.startErr != nil {
		return nil, s.startErr
	}
	return s.handle, nil
}

func (s *fakeService) LookPath(_ context.Context, name string, env map[string]string) (string, error) {
	s.looked++
	if env != nil {
		return "", errors.New("looked in a command's environment")
	}
	return "/found/" + name, s.lookErr
}

func (s *fakeService) Host() sandbox.Host          { return sandbox.Host{} }
func (s *fakeService) Close(context.Context) error { return nil }

// fakeHandle has ended already.
type fakeHandle struct {
	outcome     subprocess.Outcome
	err         error
	report      []byte
	out, stderr subprocess.Chunk
}

func (h *fakeHandle) PID() int                             { return 1 }
func (h *fakeHandle) Pipes() subprocess.Pipes              { return subprocess.Pipes{} }
func (h *fakeHandle) Stdout() subprocess.Reader            { return fakeReader{h.out} }
func (h *fakeHandle) Stderr() subprocess.Reader            { return fakeReader{h.stderr} }
func (h *fakeHandle) StatusReport() []byte                 { return h.report }
func (h *fakeHandle) Outcome() (subprocess.Outcome, error) { return h.outcome, h.err }
func (h *fakeHandle) Terminate() bool                      { return false }
func (h *fakeHandle) WaitTree(context.Context) error       { return nil }

func (h *fakeHandle) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

type fakeReader struct{ chunk subprocess.Chunk }

func (r fakeReader) ReadFrom(int64) subprocess.Chunk { return r.chunk }

func newExecutor(t *testing.T, config Config, procs subprocess.Service) *Executor {
	t.Helper()
	executor, err := New(config, procs)
	if err != nil {
		t.Fatal(err)
	}
	return executor
}

func resolve(t *testing.T, e *Executor, req bash.Request) bash.Spec {
	t.Helper()
	spec, err := e.Resolve(req)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}
