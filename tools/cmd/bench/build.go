package main

import (
	"context"
	"path/filepath"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// tools are the project's own programs, by their absolute paths.
type tools struct{ dsh, launcher string }

// findTools takes programs that were built before.
func findTools(dir string) (tools, error) {
	dir, err := filepath.Abs(dir)
	return tools{dsh: filepath.Join(dir, "dsh"), launcher: filepath.Join(dir, "landlock-run")}, err
}

// buildTools builds them as they are released: without cgo.
func buildTools(ctx context.Context, dir string) (tools, error) {
	tree, err := workspace.Find(".")
	if err != nil {
		return tools{}, err
	}
	build := gotool.Cmd{Dir: tree.Root, Env: []string{"CGO_ENABLED=0"}}
	_, err = build.Go(ctx, "build", "-buildvcs=false", "-o", dir,
		"./tools/cmd/dsh", "./sandbox-local/cmd/landlock-run")
	if err != nil {
		return tools{}, err
	}
	return findTools(dir)
}
