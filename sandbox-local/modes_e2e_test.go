//go:build linux

package sandboxlocal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

func TestE2EAsOrdinaryUser(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every end-to-end test once more")
	}
	t.Parallel()
	home := asOrdinaryUser(t, "^TestE2E", "-conformance-json="+tablesJSON)
	t.Run("the documents' tables", func(t *testing.T) {
		compareDocuments(t, append(documented(t), tablesIn(t, home)...))
	})
}

func TestE2EReadOnlyChangesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		write(t, filepath.Join(p.workspace, "f"), "kept")
		attempts := map[string]string{
			"create":    `touch new`,
			"overwrite": `echo x >f`,
			"append":    `echo x >>f`,
			"truncate":  `truncate -s 0 f`,
			"unlink":    `rm -f f`,
			"rename":    `mv f g`,
			"mkdir":     `mkdir d`,
			"hard link": `ln f g`,
			"symlink":   `ln -s f g`,
			"fifo":      `mkfifo p`,
			"temp":      `touch /tmp/dsh-must-not-exist`,
		}
		for name, script := range attempts {
			got, c := b.run(t, sandbox.ReadOnly, p.workspace, script)
			if !got.refused(c) {
				t.Errorf("%s: exit %d, stderr %q", name, got.code, got.stderr)
			}
		}
		if got := read(t, filepath.Join(p.workspace, "f")); got != "kept" {
			t.Errorf("f holds %q", got)
		}
		for _, path := range []string{"new", "g", "d", "p", "/tmp/dsh-must-not-exist"} {
			if !filepath.IsAbs(path) {
				path = filepath.Join(p.workspace, path)
			}
			if exists(path) {
				t.Errorf("%s was made", path)
			}
		}
	})
}

func TestE2EWorkspaceWriteChangesTheWorkspaceAlone(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		write(t, filepath.Join(p.outside, "f"), "kept")
		got, _ := b.run(t, sandbox.WorkspaceWrite, p.workspace,
			`set -e; mkdir a b; echo 1 >a/x; mv a/x b/y; ln b/y z; rm "$(mktemp)"; pwd`)
		if got.code != 0 || strings.TrimSpace(got.stdout) != p.workspace {
			t.Errorf("inside: exit %d, stdout %q, stderr %q", got.code, got.stdout, got.stderr)
		}
		if got := read(t, filepath.Join(p.workspace, "z")); got != "1\n" {
			t.Errorf("z holds %q", got)
		}
		for _, script := range []string{`touch "$1/n"`, `echo x >"$1/f"`, `rm -f "$1/f"`, `mv "$1/f" .`, `truncate -s 0 "$1/f"`} {
			got, c := b.run(t, sandbox.WorkspaceWrite, p.workspace, script, p.outside)
			if !got.refused(c) {
				t.Errorf("%s: exit %d, stderr %q", script, got.code, got.stderr)
			}
		}
		if exists(filepath.Join(p.outside, "n")) || read(t, filepath.Join(p.outside, "f")) != "kept" {
			t.Error("something outside was changed")
		}
	})
}

func TestE2EOutcomeOfTheCommand(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		for _, code := range []int{0, 1, 3, 125} {
			got, c := b.run(t, sandbox.ReadOnly, p.workspace, `echo out; echo err >&2; exit "$1"`, itoa(code))
			if got.code != code || got.stdout != "out\n" || got.stderr != "err\n" {
				t.Errorf("exit %d: %+v", code, got)
			}
			if c.Status != nil && c.Status.Read(got.report) != sandbox.CommandStarted {
				t.Errorf("exit %d: report %q", code, got.report)
			}
		}
	})
}

func TestE2ERunnerThatCannotStartTheCommand(t *testing.T) {
	b := need(t, Bwrap)
	p := newPlaces(t)
	c, err := b.Confine(t.Context(), sandbox.Request{
		Argv: []string{filepath.Join(p.outside, "nope")}, Dir: p.workspace, Host: able,
		Policy: sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: p.workspace},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := spawn(t, c, p.workspace)
	if got.code == 0 || c.Status.Read(got.report) != sandbox.CommandNotStarted {
		t.Errorf("exit %d, report %q", got.code, got.report)
	}
}

func TestE2EHiddenWorkingDirectory(t *testing.T) {
	b := need(t, Bwrap)
	hidden := t.TempDir() // beneath /tmp
	_, err := b.Confine(t.Context(), sandbox.Request{
		Argv: []string{"/bin/true"}, Dir: hidden, Host: able,
		Policy: sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: newPlaces(t).workspace},
	})
	var wrong *HiddenDirError
	if !asError(err, &wrong) || wrong.Dir != hidden || wrong.Runner != Bwrap {
		t.Errorf("%v", err)
	}
	if got, _ := b.run(t, sandbox.WorkspaceWrite, hidden, "pwd; ls /tmp; touch a"); got.code != 0 || !exists(filepath.Join(hidden, "a")) {
		t.Errorf("a workspace beneath /tmp: %+v", got)
	}
}
