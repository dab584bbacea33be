package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh/bash"
	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
	"github.com/dsh-go/dsh/tools/cmd/kernels/internal/guestjob"
)

// errNotRefused means that a command was not refused as it must be.
var errNotRefused = errors.New("the command was not refused as it must be")

// nothingUsable runs a command where no runner works and prints the refusal:
// it must be typed, name every runner with its reason, and be true.
func nothingUsable(ctx context.Context, out io.Writer) error {
	procs := &subprocesslocal.Service{}
	for _, mode := range modes {
		refusal, err := refused(ctx, procs, mode)
		if err != nil {
			return errors.Join(err, procs.Close(ctx))
		}
		fmt.Fprintln(out, refusal)
	}
	if err := procs.Close(ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, guestjob.RefusedLine)
	return err
}

func refused(ctx context.Context, procs *subprocesslocal.Service, mode sandbox.Mode) (refusal, err error) {
	workspace, err := os.MkdirTemp("/var/tmp", "dsh-refused-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(workspace)) }()
	policies, err := sandboxpolicy.New(sandboxpolicy.Config{Mode: mode, WorkspaceRoot: workspace})
	if err != nil {
		return nil, err
	}
	sh, err := bashsandbox.New(bashsandbox.Config{Workdir: workspace}, procs, &sandboxlocal.Provider{}, policies)
	if err != nil {
		return nil, err
	}
	_, refusal = bash.Run(ctx, sh, bash.Request{Command: "touch ran"})
	if _, err := os.Lstat(filepath.Join(workspace, "ran")); !errors.Is(err, fs.ErrNotExist) {
		return refusal, errors.Join(fmt.Errorf("%w: under %s it ran", errNotRefused, mode), err)
	}
	return refusal, checkRefusal(refusal, mode)
}

// checkRefusal reads the message as its reader would.
func checkRefusal(refusal error, mode sandbox.Mode) error {
	if !errors.Is(refusal, sandbox.ErrUnavailable) {
		return errors.Join(fmt.Errorf("%w: under %s the refusal is of another kind, or there is none", errNotRefused, mode), refusal)
	}
	for _, text := range []string{string(mode), "not run unconfined", "bwrap: ", "landlock: ", "Install bubblewrap"} {
		if !strings.Contains(refusal.Error(), text) {
			return fmt.Errorf("%w: %q is missing in: %w", errNotRefused, text, refusal)
		}
	}
	return nil
}
