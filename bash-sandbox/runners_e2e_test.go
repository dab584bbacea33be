package bashsandbox_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash"
	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
)

// confining are the modes that confine.
var confining = []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite}

// setup is a way of confining that this system may have.
type setup struct {
	name   string
	runner string // as DSH_REQUIRE and reports name it
	config sandboxlocal.Config
}

// setups are the ways of confining on this system.
func setups() []setup {
	switch runtime.GOOS {
	case "linux":
		return []setup{
			{sandboxlocal.Bwrap, sandboxlocal.Bwrap, only(sandboxlocal.Bwrap, "")},
			{sandboxlocal.Landlock, sandboxlocal.Landlock, only(sandboxlocal.Landlock, "")},
			{"landlock-launcher", sandboxlocal.Landlock, only(sandboxlocal.Landlock, landlockrun.Self)},
		}
	case "darwin":
		return []setup{{sandboxlocal.Seatbelt, sandboxlocal.Seatbelt, only(sandboxlocal.Seatbelt, "")}}
	default:
		return nil
	}
}

func only(runner, launcher string) sandboxlocal.Config {
	return sandboxlocal.Config{Runners: []string{runner}, LandlockLauncher: launcher}
}

// TestMain lets the test binary serve as the launcher.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == landlockrun.SelfArg {
		os.Exit(landlockrun.Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// forEachSetup runs a test with every way of confining. One that is not usable
// here is a skip, or a failure if DSH_REQUIRE names its runner.
func forEachSetup(t *testing.T, test func(t *testing.T, s setup)) {
	t.Helper()
	for _, s := range setups() {
		t.Run(s.name, func(t *testing.T) {
			needSetup(t, s)
			test(t, s)
		})
	}
}

func needSetup(t *testing.T, s setup) {
	t.Helper()
	w := newWorld(t, s.config, bashsandbox.Config{})
	_, err := w.try(sandbox.ReadOnly, "true")
	if err == nil {
		return
	}
	if slices.Contains(strings.Split(os.Getenv("DSH_REQUIRE"), ","), s.runner) {
		t.Fatalf("%s is required and not usable: %v", s.name, err)
	}
	t.Skipf("%s is not usable here: %v", s.name, err)
}

// world is an executor over a runner, a workspace, and a directory beside it.
type world struct {
	*testing.T
	workspace string
	beside    string
	procs     *subprocesslocal.Service
	executor  *bashsandbox.Executor
}

// policies is the default policy of a world.
type policies struct{ policy sandbox.Policy }

func (p policies) Default() sandbox.Policy { return p.policy }

func newWorld(t *testing.T, local sandboxlocal.Config, config bashsandbox.Config) *world {
	t.Helper()
	provider, err := sandboxlocal.New(local)
	if err != nil {
		t.Fatal(err)
	}
	return newWorldWith(t, provider, config)
}

func newWorldWith(t *testing.T, provider sandbox.Provider, config bashsandbox.Config) *world {
	t.Helper()
	dir := outsideTemp(t)
	w := &world{
		T:         t,
		workspace: filepath.Join(dir, "workspace"),
		beside:    filepath.Join(dir, "beside"),
		procs:     &subprocesslocal.Service{},
	}
	for _, dir := range []string{w.workspace, w.beside} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if config.Workdir == "" {
		config.Workdir = w.workspace
	}
	var err error
	w.executor, err = bashsandbox.New(config, w.procs, provider, policies{w.policy(sandbox.ReadOnly)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.procs.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return w
}

// outsideTemp makes a directory that does not lie in the temporary area, which
// commands may write to and bwrap hides.
func outsideTemp(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(cache, "dsh-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	canonical, err := sandbox.Canonical(dir)
	if err != nil {
		t.Fatal(err)
	}
	return canonical
}

func (w *world) policy(mode sandbox.Mode) sandbox.Policy {
	return sandbox.Policy{Mode: mode, WorkspaceRoot: w.workspace}
}

func (w *world) request(mode sandbox.Mode, command string) bash.Request {
	policy := w.policy(mode)
	return bash.Request{Command: command, Policy: &policy}
}

func (w *world) try(mode sandbox.Mode, command string) (bash.Result, error) {
	w.Helper()
	return bash.Run(w.Context(), w.executor, w.request(mode, command))
}

func (w *world) run(mode sandbox.Mode, command string) bash.Result {
	w.Helper()
	result, err := w.try(mode, command)
	if err != nil {
		w.Fatalf("under %s, %.80q: %v", mode, command, err)
	}
	return result
}

// background runs a command to its end in the background.
func (w *world) background(mode sandbox.Mode, command string) (bash.State, bash.Delta) {
	w.Helper()
	process, err := bash.Start(w.Context(), w.executor, w.request(mode, command))
	if err != nil {
		w.Fatalf("under %s, %.80q: %v", mode, command, err)
	}
	select {
	case <-process.Done():
	case <-time.After(30 * time.Second):
		w.Fatalf("under %s, %.80q is not done", mode, command)
	}
	return process.State(), process.ReadOutput()
}

// wantFacts checks the facts about a command that ran.
func (w *world) wantFacts(info *bash.SandboxInfo, mode sandbox.Mode, denied bool) {
	w.Helper()
	switch {
	case info == nil:
		w.Errorf("no facts")
	case info.Mode != mode || info.Denied != denied || info.RunnerFailed || info.Detail != "":
		w.Errorf("facts %+v, want mode %s and denied %v", info, mode, denied)
	case info.Runner == "" || info.Enforcement != sandbox.EnforcementOf(info.Gaps):
		w.Errorf("facts %+v are incomplete", info)
	}
}

func (w *world) wantAbsent(path string) {
	w.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		w.Errorf("%s exists: %v", path, err)
	}
}

func (w *world) wantFile(path, text string) {
	w.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		w.Errorf("%s holds %q, %v, want %q", path, got, err, text)
	}
}
