package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	"github.com/dsh-go/dsh/tools/internal/treetest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"dsh": main})
}

// TestScripts runs the command line as a user does. Scripts in a directory
// named after a runner are run once per runner of this system, with $RUNNER.
func TestScripts(t *testing.T) {
	t.Run("any", func(t *testing.T) { runScripts(t, "any", "") })
	for _, runner := range systemRunners {
		t.Run(runner, func(t *testing.T) {
			needRunner(t, runner)
			runScripts(t, "confined", runner)
		})
	}
}

func runScripts(t *testing.T, dir, runner string) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script", dir),
		// Not in the temporary area, which commands may write to.
		WorkdirRoot: treetest.OutsideTemp(t),
		Setup: func(env *testscript.Env) error {
			env.Setenv("RUNNER", runner)
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
			env.Setenv("CONFIG", filepath.Join(env.WorkDir, "home", configDir()))
			if err := os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o700); err != nil {
				return err
			}
			return keepToOwner(env.WorkDir)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
		},
		RequireUniqueNames: true,
	})
}

// configDir is where this system has a user's configuration of dsh, in the home
// directory.
func configDir() string {
	if runtime.GOOS == "darwin" {
		return "Library/Application Support/dsh"
	}
	return ".config/dsh"
}

// keepToOwner undoes what a permissive umask does, for files that others can
// write are not trusted.
func keepToOwner(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()&^0o022)
	})
}

// status runs a command and checks its exit status: status N COMMAND…
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// needRunner skips the test if runner is not usable here, and fails it if
// DSH_REQUIRE names it.
func needRunner(t *testing.T, runner string) {
	t.Helper()
	found := examine(t.Context(), runner, sandboxlocal.Config{})
	switch {
	case found.Usable:
	case slices.Contains(strings.Split(os.Getenv("DSH_REQUIRE"), ","), runner):
		t.Fatalf("%s is required and not usable: %s", runner, *found.Reason)
	default:
		t.Skipf("%s is not usable on this %s: %s", runner, runtime.GOOS, *found.Reason)
	}
}

// ownEnv is this program's environment without the user's own configuration.
func ownEnv() []string {
	return append(os.Environ(), "XDG_CONFIG_HOME=/nonexistent")
}
