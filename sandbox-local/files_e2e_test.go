//go:build linux

package sandboxlocal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/lockdown"
)

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
