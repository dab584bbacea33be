//go:build linux

package sandboxlocal

import (
	"errors"
	"fmt"
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
	"github.com/dsh-go/dsh/sandbox-local/internal/lockdown"
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

// A policy holds the canonical root, whatever the user called it.
func TestE2ERootThroughLinks(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		real, deep := filepath.Join(p.base, "real"), filepath.Join(p.base, "deep/x")
		mkdir(t, real)
		mkdir(t, deep)
		inTemp := filepath.Join(t.TempDir(), "link")
		links := map[string]string{filepath.Join(p.base, "link"): real, inTemp: real, filepath.Join(p.base, "j"): deep}
		for link, target := range links {
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
		}
		roots := map[string]string{
			filepath.Join(p.base, "link"): real,
			inTemp:                        real,
			p.base + "/j/..":              filepath.Dir(deep),
		}
		for root, where := range roots {
			canonical, err := sandbox.Canonical(root)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := b.confined(t, sandbox.Request{
				Argv: bash(`touch a && pwd -P`), Dir: root,
				Policy: sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: canonical},
			})
			made := filepath.Join(where, "a")
			if got.code != 0 || got.stdout != where+"\n" || !exists(made) {
				t.Errorf("%s: %+v", root, got)
			}
			os.Remove(made)
		}
	})
}

// A command that may write beside another workspace puts a link in its place.
func TestE2ERootThatBecameALink(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		policy := sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: filepath.Join(p.workspace, "inner")}
		req := sandbox.Request{Argv: bash("touch n"), Dir: p.workspace, Host: able, Policy: policy}
		mkdir(t, policy.WorkspaceRoot)
		early, err := b.Confine(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := b.run(t, sandbox.WorkspaceWrite, p.workspace, `rmdir inner && ln -s "$1" inner`, p.outside)
		if got.code != 0 {
			t.Fatalf("%+v", got)
		}
		if _, err := b.Confine(t.Context(), req); !errors.Is(err, ErrRootNotCanonical) {
			t.Errorf("%v", err)
		}
		if early.OnThread != nil {
			var refused *RestrictError
			if err := lockdown.OnThread(early.OnThread.Restrict); !errors.As(err, &refused) || !errors.Is(err, unix.ELOOP) {
				t.Errorf("a confinement made before: %v", err)
			}
		}
	})
}

func TestE2EOddNames(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		for _, name := range oddNames {
			workspace := p.base + "/odd/" + name
			mkdir(t, workspace)
			got, c := b.run(t, sandbox.WorkspaceWrite, workspace, `touch ok; touch "$1/no"`, p.outside)
			if !got.refused(c) || !exists(workspace+"/ok") || exists(filepath.Join(p.outside, "no")) {
				t.Errorf("%q: %+v", name, got)
			}
		}
	})
}

func TestE2EMissingWorkspace(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		root := filepath.Join(p.base, "nope")
		_, err := b.Confine(t.Context(), sandbox.Request{
			Argv: bash(`touch "$1/m"`, p.outside), Dir: "/", Host: able,
			Policy: sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: root},
		})
		var invalid *sandbox.InvalidPolicyError
		if !errors.As(err, &invalid) || invalid.WorkspaceRoot != root || errors.Is(err, sandbox.ErrUnavailable) {
			t.Errorf("%v", err)
		}
		if exists(root) {
			t.Error("the workspace was made")
		}
	})
}

func TestE2EWorkspaceBeneathTemp(t *testing.T) {
	b := need(t, Bwrap)
	parent := t.TempDir()
	workspace, sibling := filepath.Join(parent, "w"), filepath.Join(parent, "s")
	mkdir(t, workspace)
	mkdir(t, sibling)
	write(t, filepath.Join(sibling, "f"), "kept")
	got, _ := b.run(t, sandbox.WorkspaceWrite, workspace, `pwd; echo k >a; ls "$1"; touch "$1/s/f" "$1/new"`, parent)
	if got.stdout != workspace+"\nw\n" || read(t, filepath.Join(workspace, "a")) != "k\n" {
		t.Errorf("%+v", got)
	}
	if read(t, filepath.Join(sibling, "f")) != "kept" || exists(filepath.Join(parent, "new")) {
		t.Error("something beside the workspace was changed")
	}
	name := filepath.Base(parent)
	got, _ = b.run(t, sandbox.WorkspaceWrite, "/tmp", `echo t >"$1"`, parent+"/"+name)
	if got.code != 0 || read(t, filepath.Join(parent, name)) != "t\n" {
		t.Errorf("a workspace that is /tmp: %+v", got)
	}
}

func TestE2ERenameBetweenDirectories(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		path := filepath.Join(p.workspace, "a/x")
		mkdir(t, filepath.Dir(path))
		write(t, path, "1")
		got := b.try(t, sandbox.WorkspaceWrite, p.workspace, path, "rename across")
		if !got.went("rename across") || exists(path) {
			t.Errorf("%v", got.results)
		}
	})
}

func TestE2EProcLinksLeadNowhere(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		if err := os.Symlink(p.outside, filepath.Join(p.workspace, "lnk")); err != nil {
			t.Fatal(err)
		}
		targets := []string{
			fmt.Sprintf("/proc/%d/root%s/p", os.Getpid(), p.outside),
			"/proc/1/root" + p.outside + "/p",
			"/proc/self/root" + p.outside + "/p",
			fmt.Sprintf("/proc/%d/cwd/p", os.Getpid()),
			filepath.Join(p.workspace, "lnk/p"),
		}
		for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
			for _, target := range targets {
				if got, _ := b.run(t, mode, p.workspace, `echo p >"$1"`, target); got.code == 0 {
					t.Errorf("%s: %s: %+v", mode, target, got)
				}
			}
			got, _ := b.run(t, mode, p.workspace, `sleep 60 & kill $!; wait $!; echo $?`)
			if got.stdout != "143\n" {
				t.Errorf("%s: its own child: %+v", mode, got)
			}
		}
		if exists(filepath.Join(p.outside, "p")) || exists("p") {
			t.Error("a file was made outside")
		}
	})
}

// tree lists every path beneath the directories.
func tree(t *testing.T, dirs ...string) []string {
	t.Helper()
	var paths []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			paths = append(paths, path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

func TestE2ENothingIsLeftBehind(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		before := tree(t, p.base)
		for range 20 {
			if got, _ := b.run(t, sandbox.WorkspaceWrite, p.workspace, "true"); got.code != 0 {
				t.Fatalf("%+v", got)
			}
		}
		// The first process that bwrap puts inside asks to die with its parent
		// only after it has started the command.
		c := b.confine(t, sandbox.WorkspaceWrite, p.workspace, p.workspace, "sleep .3; echo up; exec sleep 60")
		killRunning(t, c, p.workspace)
		if diff := cmp.Diff(before, tree(t, p.base)); diff != "" {
			t.Errorf("files (-before +after):\n%s", diff)
		}
		if mounts := read(t, "/proc/self/mountinfo"); strings.Contains(mounts, p.base) {
			t.Errorf("something is still mounted:\n%s", mounts)
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

func TestE2EFilesOfOtherOwners(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root works on files of other owners")
	}
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		path := filepath.Join(p.workspace, "theirs")
		write(t, path, "old")
		if err := errors.Join(os.Chmod(path, 0o600), os.Chown(path, ordinaryUser, ordinaryUser)); err != nil {
			t.Fatal(err)
		}
		got, _ := b.run(t, sandbox.WorkspaceWrite, p.workspace, `cat theirs && echo new >theirs && chown 0 theirs`)
		if got.code != 0 || got.stdout != "old" || read(t, path) != "new\n" {
			t.Errorf("%+v", got)
		}
	})
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
