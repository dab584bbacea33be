//go:build !linux && !darwin

package subprocesslocal

import (
	"context"
	"os/exec"

	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

// host offers nothing where nothing can be started.
var host sandbox.Host

type engine struct{}

func (*engine) start(_ context.Context, spec subprocess.Spec, _ Config) (subprocess.Handle, error) {
	return nil, startError(spec, subprocess.StageExec, subprocess.ErrUnsupported)
}

func (*engine) close(context.Context, Config) error { return nil }

func lookPath(name string, _ map[string]string) (string, error) {
	return "", &exec.Error{Name: name, Err: subprocess.ErrUnsupported}
}
