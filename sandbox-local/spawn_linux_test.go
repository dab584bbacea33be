package sandboxlocal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/lockdown"
	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
)

// able is what the spawner of these tests can do.
var able = sandbox.Host{FirstFD: 3, OnThread: true}

// outcome is what became of a confined command.
type outcome struct {
	code           int // -1 when a signal ended it
	stdout, stderr string
	report         []byte
}

// refused reports whether the command failed, saying so as the runner does.
func (o outcome) refused(c *sandbox.Confinement) bool {
	return o.code != 0 && slices.ContainsFunc(c.Dialect.Denials, func(text string) bool {
		return strings.Contains(strings.ToLower(o.stderr), text)
	})
}

// spawn starts a confinement and waits for its end.
func spawn(t *testing.T, c *sandbox.Confinement, dir string) outcome {
	t.Helper()
	if err := c.Check(able); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := command(ctx, c, dir)
	cmd.Stdout, cmd.Stderr = &out, &errs
	report := feed(t, cmd, c)
	err := lockdown.OnThread(func() error {
		if c.OnThread != nil {
			if err := c.OnThread.Restrict(); err != nil {
				return err
			}
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		for _, f := range cmd.ExtraFiles {
			f.Close()
		}
		return cmd.Wait() // on this thread, with which a runner dies
	})
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("starting %q in %q: %v", cmd.Args, dir, err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), withoutNotices(c, errs.String()), <-report}
}

// withoutNotices sets the lines aside that the runner says of itself, as a
// launcher on an older kernel does.
func withoutNotices(c *sandbox.Confinement, stderr string) string {
	var kept strings.Builder
	for line := range strings.Lines(stderr) {
		notice := func(rule sandbox.FailureRule) bool {
			return slices.Contains(rule.Informational, strings.TrimSuffix(line, "\n"))
		}
		if !slices.ContainsFunc(c.Dialect.Failures, notice) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// killRunning starts a confinement whose command prints a line, kills the
// process that was started once the line is there, and waits until nobody
// holds its output any more.
func killRunning(t *testing.T, c *sandbox.Confinement, dir string) {
	t.Helper()
	out, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := command(t.Context(), c, dir)
	cmd.Stdout = theirs
	report := feed(t, cmd, c)
	err = lockdown.OnThread(func() error {
		if c.OnThread != nil {
			if err := c.OnThread.Restrict(); err != nil {
				return err
			}
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		theirs.Close()
		for _, f := range cmd.ExtraFiles {
			f.Close()
		}
		if _, err := out.Read(make([]byte, 16)); err != nil {
			return err
		}
		return cmd.Process.Kill()
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := out.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Fatalf("the command lives on: %v", err)
	}
	<-report
	_ = cmd.Wait() // it was killed
}

func command(ctx context.Context, c *sandbox.Confinement, dir string) *exec.Cmd {
	argv := c.Argv
	if c.OnThread != nil {
		argv = c.OnThread.Argv
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, os.Environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	for name, value := range c.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// feed gives cmd its descriptors and collects the status.
func feed(t *testing.T, cmd *exec.Cmd, c *sandbox.Confinement) <-chan []byte {
	t.Helper()
	report := make(chan []byte, 1)
	if c.Status == nil {
		report <- nil
	}
	if len(c.Inputs) == 0 && c.Status == nil {
		return report
	}
	pipes, err := openChannels(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pipes.close)
	cmd.ExtraFiles, pipes.theirs = pipes.theirs, nil
	if c.Status != nil {
		go func() {
			all, _ := io.ReadAll(pipes.status)
			report <- all
		}()
	}
	return report
}

// places are directories of one test, none of them under /tmp, which bwrap
// hides.
type places struct{ base, workspace, outside string }

func newPlaces(t *testing.T) places {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "dsh-sandbox-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	p := places{base, filepath.Join(base, "workspace"), filepath.Join(base, "outside")}
	mkdir(t, p.workspace)
	mkdir(t, p.outside)
	return p
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// requirement names the backends whose absence is a failure.
const requirement = "DSH_REQUIRE"

// required reports whether a list of backends, as the environment gives it,
// names one.
func required(list, backend string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(entry string) bool {
		return strings.TrimSpace(entry) == backend
	})
}

// skipper is the part of testing.TB that decides about a missing backend.
type skipper interface {
	Helper()
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
}

func missing(t skipper, backend string, err error) {
	t.Helper()
	if required(os.Getenv(requirement), backend) {
		t.Fatalf("%s is required (%s) and unusable: %v", backend, requirement, err)
	}
	t.Skipf("%s is unusable here: %v", backend, err)
}

// backend is a provider that is known to confine here.
type backend struct {
	*Provider
	name string
}

// need returns a provider of one usable backend, or ends the test.
func need(t *testing.T, name string) backend {
	t.Helper()
	return needConfigured(t, name, Config{Runners: []string{name}})
}

// needLauncher has Landlock confine by a launcher, as which this test binary
// serves itself.
func needLauncher(t *testing.T) backend {
	t.Helper()
	return needConfigured(t, Landlock, Config{Runners: []string{Landlock}, LandlockLauncher: landlockrun.Self})
}

func needConfigured(t *testing.T, name string, config Config) backend {
	t.Helper()
	config.ProbeTimeout = time.Minute // a machine that is busy lacks no backend
	p, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	found, err := p.candidate(t.Context(), name, able)
	if err == nil {
		err = p.prove(t.Context(), found)
	}
	if err != nil {
		missing(t, name, err)
	}
	return backend{p, name}
}

// onEach runs a test with each way to confine.
func onEach(t *testing.T, test func(t *testing.T, b backend)) {
	t.Helper()
	for _, name := range []string{Bwrap, Landlock} {
		t.Run(name, func(t *testing.T) { test(t, need(t, name)) })
	}
	t.Run("launcher", func(t *testing.T) { test(t, needLauncher(t)) })
}

// confine asks for a bash command.
func (b backend) confine(t *testing.T, mode sandbox.Mode, workspace, dir, script string, args ...string) *sandbox.Confinement {
	t.Helper()
	c, err := b.Confine(t.Context(), sandbox.Request{
		Argv:   append([]string{"/bin/bash", "-c", script, "bash"}, args...),
		Dir:    dir,
		Policy: sandbox.Policy{Mode: mode, WorkspaceRoot: workspace},
		Host:   able,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// run runs a bash command in the workspace.
func (b backend) run(t *testing.T, mode sandbox.Mode, workspace, script string, args ...string) (outcome, *sandbox.Confinement) {
	t.Helper()
	c := b.confine(t, mode, workspace, workspace, script, args...)
	return spawn(t, c, workspace), c
}

// ordinaryUser is the user as whom everything is tested again.
const ordinaryUser = 65534

// asOrdinaryUser re-executes this test binary with the end-to-end tests of
// pattern, and fails unless it ran to its end. It runs in the home directory
// that is returned, which is there until the end of the test.
func asOrdinaryUser(t *testing.T, pattern string, args ...string) (home string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("this is an ordinary user already")
	}
	home, err := os.MkdirTemp("/var/tmp", "dsh-home-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if err := os.Chown(home, ordinaryUser, ordinaryUser); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(home, "test")
	copyProgram(t, binary)
	args = append([]string{"-test.run=" + pattern, "-test.v", "-test.timeout=5m"}, args...)
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "USER="+userName())
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinaryUser, Gid: ordinaryUser}}
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil || !strings.HasSuffix(text, "\nPASS") {
		t.Fatalf("as user %d: %v\n%s", ordinaryUser, err, text)
	}
	if strings.Contains(text, "no tests to run") || !strings.Contains(text, "--- PASS") {
		t.Fatalf("as user %d nothing was tested:\n%s", ordinaryUser, text)
	}
	t.Logf("as user %d:\n%s", ordinaryUser, text)
	return home
}

func userName() string {
	if u, err := user.LookupId(strconv.Itoa(ordinaryUser)); err == nil {
		return u.Username
	}
	return "nobody"
}

// copyProgram writes this test binary where everybody may run it. The lock
// keeps a fork of another test from holding the file open for writing.
func copyProgram(t *testing.T, path string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
}
