//go:build linux

package sandboxlocal

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/landlock"
)

// confined runs a command with an environment.
func (b backend) confined(t *testing.T, req sandbox.Request) (outcome, *sandbox.Confinement) {
	t.Helper()
	req.Host = able
	c, err := b.Confine(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return spawn(t, c, req.Dir), c
}

func bash(script string, args ...string) []string {
	return append([]string{"/bin/bash", "-c", script, "bash"}, args...)
}

func TestE2EBytesThatAreNotUTF8(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		workspace := filepath.Join(newPlaces(t).base, "w\xff")
		mkdir(t, workspace)
		for _, name := range []string{"B", "LD_B"} { // set outside, and inside by the runner
			got, _ := b.confined(t, sandbox.Request{
				Argv: bash(`printf %s "${!1}" | od -An -tx1; touch z`, name), Dir: workspace,
				Env:    map[string]string{name: "\xff\xfe"},
				Policy: sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: workspace},
			})
			if got.code != 0 || strings.TrimSpace(got.stdout) != "ff fe" || !exists(filepath.Join(workspace, "z")) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	})
}

func TestE2EDevices(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		got, _ := b.run(t, sandbox.ReadOnly, p.workspace,
			`cat <(echo a) <(echo b); : >/dev/null; head -c1 /dev/urandom >/dev/null && echo ok`)
		if got.code != 0 || got.stdout != "a\nb\nok\n" || got.stderr != "" {
			t.Errorf("%+v", got)
		}
		got, c := b.run(t, sandbox.ReadOnly, p.workspace, `echo x >/dev/zero`)
		if allowed := b.name == Bwrap; (got.code == 0) != allowed || got.refused(c) == allowed {
			t.Errorf("/dev/zero: %+v", got)
		}
		if got, _ := b.run(t, sandbox.ReadOnly, p.workspace, `echo x >/dev/dsh-must-not-exist`); got.code == 0 {
			t.Errorf("a new file in /dev: %+v", got)
		}
		if exists("/dev/dsh-must-not-exist") {
			t.Error("a file was made in /dev")
		}
	})
}

func TestE2ESignalsStayInside(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		if !b.scopesSignals(t) {
			t.Skip("this kernel's Landlock does not keep signals inside")
		}
		p := newPlaces(t)
		outside := exec.CommandContext(t.Context(), "sleep", "60")
		if err := outside.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { outside.Process.Kill(); outside.Wait() }()
		got, _ := b.run(t, sandbox.WorkspaceWrite, p.workspace,
			`kill -0 "$1"; code=$?; grep NoNewPrivs "/proc/$$/status"; exit $code`, itoa(outside.Process.Pid))
		if got.code == 0 || !strings.Contains(got.stdout, "NoNewPrivs:\t1") {
			t.Errorf("a process outside can be signalled, or the command was not confined: %+v", got)
		}
		if err := outside.Process.Signal(unix.Signal(0)); err != nil {
			t.Errorf("the process outside: %v", err)
		}
	})
}

// scopesSignals reports whether the backend keeps signals inside here.
func (b backend) scopesSignals(t *testing.T) bool {
	t.Helper()
	if b.name != Landlock {
		return true
	}
	kernel, err := landlock.Detect()
	if err != nil {
		t.Fatal(err)
	}
	return kernel.ScopesSignals
}

func TestE2ESignalToItsOwnGroup(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		got, c := b.run(t, sandbox.WorkspaceWrite, p.workspace, `kill -TERM 0; sleep 60`)
		if code := map[string]int{Bwrap: 143, Landlock: -1}[b.name]; got.code != code {
			t.Errorf("%+v", got)
		}
		if c.Status != nil && c.Status.Read(got.report) != sandbox.CommandStarted {
			t.Errorf("report %q", got.report)
		}
	})
}

func TestE2EStartupVariablesActInside(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		startup := filepath.Join(p.workspace, "startup")
		write(t, startup, "echo sourced; touch '"+p.outside+"/no' 2>/dev/null || echo refused\n")
		got, _ := b.confined(t, sandbox.Request{
			Argv: bash("echo ran"), Dir: p.workspace,
			Env:    map[string]string{"BASH_ENV": startup, "LD_PRELOAD": "/nowhere.so", "BASH_FUNC_echo%%": "() { builtin echo \"f:$1\"; }"},
			Policy: sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: p.workspace},
		})
		if got.stdout != "f:sourced\nf:refused\nf:ran\n" || exists(filepath.Join(p.outside, "no")) {
			t.Errorf("%+v", got)
		}
		for line := range strings.Lines(got.stderr) { // from bash and touch alone
			if !strings.HasPrefix(line, "ERROR: ld.so: object '/nowhere.so'") {
				t.Errorf("stderr %q", line)
			}
		}
		if n := strings.Count(got.stderr, "ld.so"); n != 1 {
			t.Errorf("the loader complained %d times: %q", n, got.stderr)
		}
	})
}

func TestE2ETemporaryDirectory(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		for _, dir := range []string{"/nonexistent", p.outside} {
			got, _ := b.confined(t, sandbox.Request{
				Argv: bash(`f=$(mktemp) && echo "$f" && rm "$f"; echo "$TMPDIR"`), Dir: p.workspace,
				Env:    map[string]string{"TMPDIR": dir},
				Policy: sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: p.workspace},
			})
			if got.code != 0 || !strings.HasSuffix(got.stdout, "\n/tmp\n") {
				t.Errorf("%s: %+v", dir, got)
			}
		}
	})
}

func TestE2EDescriptorsOfTheRunnerStayOutside(t *testing.T) {
	// What this process inherited would reach the command, or give way to a
	// descriptor of the runner. Keeping it back is the spawner's part.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		t.Skip(err)
	}
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		got, _ := b.confined(t, sandbox.Request{
			Argv:   bash(`for fd in /proc/self/fd/*; do [ -e "$fd" ] && echo "${fd##*/}"; done; true`),
			Dir:    p.workspace,
			Env:    map[string]string{"LD_B": "1"},
			Policy: sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: p.workspace},
		})
		if diff := cmp.Diff("0\n1\n2\n", got.stdout); diff != "" {
			t.Errorf("descriptors (-want +got):\n%s", diff)
		}
	})
}

func TestE2ENestingAsOrdinaryUser(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root's namespaces do not nest")
	}
	b := need(t, Bwrap)
	p := newPlaces(t)
	got, _ := b.run(t, sandbox.ReadOnly, p.workspace, `bwrap --ro-bind / / --dev /dev --proc /proc -- echo in`)
	if got.code != 0 || got.stdout != "in\n" {
		t.Errorf("%+v", got)
	}
}

func TestE2EConfiguredRunner(t *testing.T) {
	need(t, Bwrap)
	b := needConfigured(t, Custom, Config{RunnerCommand: []string{"bwrap"}, RunnerFailureSignatures: []string{"bwrap: "}})
	p := newPlaces(t)
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
		got, c := b.confined(t, sandbox.Request{
			Argv: bash(`echo "$LD_B"; touch "$1/no"`, p.outside), Dir: p.workspace,
			Env:    map[string]string{"LD_B": "inside"},
			Policy: sandbox.Policy{Mode: mode, WorkspaceRoot: p.workspace},
		})
		if !got.refused(c) || got.stdout != "inside\n" || exists(filepath.Join(p.outside, "no")) {
			t.Errorf("%s: %+v", mode, got)
		}
	}
}
