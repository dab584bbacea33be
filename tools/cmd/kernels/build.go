package main

import (
	"context"
	"path/filepath"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// The tests that run in the guests, by the name of the binary.
var testBinaries = map[string]string{
	"launcher":     workspace.Prefix + "sandbox-local/landlockrun",
	"sandboxlocal": workspace.Prefix + "sandbox-local",
	"bashsandbox":  workspace.Prefix + "bash-sandbox",
}

// guestPackage is the program of ours that the guests start.
const guestPackage = workspace.Prefix + "tools/cmd/kernels/guest"

// binaries are the files of ours for one architecture.
type binaries struct {
	guest string
	tests map[string]string // by the names of testBinaries
}

// build cross-builds everything that runs in the guests of an architecture,
// from the working tree.
func build(ctx context.Context, tree *workspace.Workspace, dir, arch string) (binaries, error) {
	cmd := gotool.Cmd{Dir: tree.Root, Env: append(tree.Env(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")}
	built := binaries{guest: filepath.Join(dir, "guest-"+arch), tests: map[string]string{}}
	if _, err := cmd.Go(ctx, "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", built.guest, guestPackage); err != nil {
		return binaries{}, err
	}
	for name, pkg := range testBinaries {
		built.tests[name] = filepath.Join(dir, name+"-"+arch+".test")
		if _, err := cmd.Go(ctx, "test", "-c", "-trimpath", "-ldflags=-s -w", "-o", built.tests[name], pkg); err != nil {
			return binaries{}, err
		}
	}
	return built, nil
}
