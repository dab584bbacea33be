// Package bwrapprovider confines commands with bubblewrap, for ordinary users.
// It is the example of docs/writing-a-provider.md.
package bwrapprovider

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"

	"github.com/dsh-go/dsh/sandbox"
)

// Provider confines with the bwrap that is on PATH.
type Provider struct{}

// gaps are about the device nodes of --dev, which are the host's own.
var gaps = []sandbox.Gap{{
	Effect: sandbox.EffectTimes,
	Place:  sandbox.PlaceDev,
	Reason: "everybody may set the times of the host's device nodes to the present",
}}

var errRoot = errors.New("root has more ways out than this provider closes")

// Confine implements [sandbox.Provider].
func (Provider) Confine(ctx context.Context, req sandbox.Request) (*sandbox.Confinement, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := req.Policy.Validate(); err != nil {
		return nil, err
	}
	if !req.Policy.Mode.Confines() {
		return nil, sandbox.ErrFullAccess
	}
	bwrap, err := find()
	if err != nil {
		return nil, &sandbox.UnavailableError{
			Mode:    req.Policy.Mode,
			Reasons: []sandbox.RunnerReason{{Runner: "bwrap", Reason: err.Error()}},
			Err:     err,
		}
	}
	return &sandbox.Confinement{
		Argv: slices.Concat([]string{bwrap}, setenv(req.Env), profile(req), []string{"--"}, req.Argv),
		Dialect: sandbox.Dialect{
			Denials:  []string{"read-only file system"},
			Failures: []sandbox.FailureRule{{Fatal: []string{"bwrap: "}}},
		},
		Report: sandbox.Report{Runner: "bwrap", Enforcement: sandbox.Partial, Gaps: gaps},
	}, nil
}

func find() (string, error) {
	if os.Geteuid() == 0 {
		return "", errRoot
	}
	return exec.LookPath("bwrap")
}

// setenv has bwrap set the command's variables inside: in its own environment
// some would act on bwrap itself, which has confined nothing yet.
func setenv(env map[string]string) []string {
	var args []string
	for name, value := range env {
		args = append(args, "--setenv", name, value)
	}
	return args
}

// profile holds the mode. bwrap acts on its options in their order.
func profile(req sandbox.Request) []string {
	args := []string{
		"--new-session", "--die-with-parent", "--unshare-pid", "--unshare-ipc",
		"--ro-bind", "/", "/", "--dev", "/dev", "--remount-ro", "/dev", "--proc", "/proc",
	}
	if req.Policy.Mode == sandbox.WorkspaceWrite {
		root := req.Policy.WorkspaceRoot
		args = append(args, "--tmpfs", "/dev/shm", "--tmpfs", "/tmp", "--bind", root, root)
	}
	return append(args, "--chdir", req.Dir)
}
