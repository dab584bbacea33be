package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh/bash"
	bashlocal "github.com/dsh-go/dsh/bash-local"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
)

// scene is where everything is measured: the same bash, directory and
// environment for every row.
type scene struct {
	scale scale
	peers []peerProgram

	home      string // everything lies in it; removed at the end
	workspace string
	beside    string // a directory that no confined command may write to

	shell string // absolute
	env   []string
	// procs and local are the parts that most rows are about.
	procs *subprocesslocal.Service
	local *bashlocal.Executor
	tools tools
}

// newScene prepares a directory and the programs that are measured. The caller
// closes it.
func newScene(ctx context.Context, opts options) (*scene, error) {
	s := &scene{scale: opts.scale, peers: opts.peers}
	err := s.makeDirectories()
	if err == nil {
		err = s.makeExecutor(ctx)
	}
	if err == nil && opts.bin != "" {
		s.tools, err = findTools(opts.bin)
	} else if err == nil {
		s.tools, err = buildTools(ctx, filepath.Join(s.home, "bin"))
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// makeDirectories works in the user's cache: /tmp is hidden from commands by
// some runners, and often in memory, where a spill would cost nothing.
func (s *scene) makeDirectories() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	if s.home, err = os.MkdirTemp(cache, "dsh-bench-"); err != nil {
		return err
	}
	if s.home, err = sandbox.Canonical(s.home); err != nil {
		return err
	}
	if err := notTemporary(s.home); err != nil {
		return err
	}
	s.workspace, s.beside = filepath.Join(s.home, "workspace"), filepath.Join(s.home, "beside")
	for _, dir := range []string{s.workspace, s.beside, filepath.Join(s.home, "bin")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	return nil
}

var errTemporary = errors.New("the user's cache directory lies in the temporary area, to which " +
	"confined commands may write; set XDG_CACHE_HOME or HOME to another place")

func notTemporary(dir string) error {
	temporary, err := sandbox.WritableRoots(sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: dir})
	if err == nil && sandbox.Within(dir, temporary[1:]) { // the first is dir
		err = errTemporary
	}
	return err
}

// makeExecutor also finds out what the floor is given: bash's path, and the
// environment that a command of bash-local gets.
func (s *scene) makeExecutor(ctx context.Context) (err error) {
	s.procs = &subprocesslocal.Service{}
	if s.shell, err = s.procs.LookPath(ctx, bashlocal.DefaultShell, nil); err != nil {
		return err
	}
	if s.local, err = bashlocal.New(bashlocal.Config{Workdir: s.workspace}, s.procs); err != nil {
		return err
	}
	spec, err := s.local.Resolve(bash.Request{})
	s.env = subprocess.Environ(os.Environ(), spec.Env, nil, nil)
	return err
}

// argv is how bash is given a command, by all rows.
func (s *scene) argv(command string) []string { return []string{s.shell, "-c", command} }

func (s *scene) close() error {
	var err error
	if s.procs != nil {
		err = s.procs.Close(context.Background())
	}
	return errors.Join(err, os.RemoveAll(s.home))
}
