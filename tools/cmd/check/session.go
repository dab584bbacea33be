package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// session is one run of check. Its test runs are shared: several legs read
// what one run of the tests has shown.
type session struct {
	tree   *workspace.Workspace
	opts   options
	stdout io.Writer
	runs   map[string]testRun
	// unmet says, for each picked leg, what it lacks here; "" is nothing.
	unmet map[string]string
}

func newSession(tree *workspace.Workspace, opts options, stdout io.Writer) *session {
	return &session{tree: tree, opts: opts, stdout: stdout, runs: map[string]testRun{}, unmet: map[string]string{}}
}

// picked reports whether the leg is to run; without -run, all are.
func (s *session) picked(name string) bool {
	return len(s.opts.run) == 0 || slices.Contains(s.opts.run, name)
}

// here runs programs at the root of the checkout, with more environment.
func (s *session) here(env ...string) gotool.Cmd {
	return gotool.Cmd{Dir: s.tree.Root, Env: append(s.tree.Env(), env...)}
}

var errCannotInstall = errors.New("-install works as root where there is apt-get")

// install brings Debian packages, saying so first.
func (s *session) install(ctx context.Context, packages []string) error {
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return errCannotInstall
	}
	apt := gotool.Cmd{Env: []string{"DEBIAN_FRONTEND=noninteractive"}}
	install := slices.Concat([]string{"apt-get", "install", "-y", "--no-install-recommends"}, packages)
	fmt.Fprintln(s.stdout, "installing: apt-get update && "+strings.Join(install, " "))
	if _, err := apt.Run(ctx, "apt-get", "update"); err != nil {
		return err
	}
	_, err := apt.Run(ctx, install...)
	return err
}
