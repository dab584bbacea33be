package bashsandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
)

func TestFullAccessNeverReachesTheProvider(t *testing.T) {
	w := newWorldWith(t, brokenProvider{t}, bashsandbox.Config{})
	result := w.run(sandbox.DangerFullAccess, "echo x > x; echo 'Read-only file system' >&2; exit 1")
	if result.ExitCode != 1 || result.Sandbox == nil || result.Sandbox.Mode != sandbox.DangerFullAccess ||
		result.Sandbox.Denied || result.Sandbox.Runner != "" || result.Sandbox.Enforcement != "" {
		t.Errorf("exit code %d, facts %+v", result.ExitCode, result.Sandbox)
	}
	w.wantFile(filepath.Join(w.workspace, "x"), "x\n")
	if state, _ := w.background(sandbox.DangerFullAccess, "true"); state.Sandbox != nil {
		t.Errorf("a background process has facts %+v", state.Sandbox)
	}
}

func TestGitReadsUnderReadOnly(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	forEachSetup(t, func(t *testing.T, s setup) {
		w := newWorld(t, s.config, bashsandbox.Config{})
		const setUp = "git init -q && echo x > f && git add f && git -c user.name=a -c user.email=a@b commit -qm x && echo y > f"
		result := w.run(sandbox.WorkspaceWrite, strings.ReplaceAll(setUp, "git ", git+" "))
		if result.ExitCode != 0 {
			t.Fatalf("exit code %d, %q", result.ExitCode, result.Stderr.Text)
		}
		for _, command := range []string{"git status --short", "git log --oneline -1", "git diff"} {
			result := w.run(sandbox.ReadOnly, command)
			if result.ExitCode != 0 || result.Stdout.Text == "" {
				t.Errorf("%s: exit code %d, %q", command, result.ExitCode, result.Stderr.Text)
			}
			w.wantFacts(result.Sandbox, sandbox.ReadOnly, false)
		}
		result = w.run(sandbox.ReadOnly, "git add f")
		w.wantFacts(result.Sandbox, sandbox.ReadOnly, true)
		if result.ExitCode != 128 || !strings.Contains(result.Stderr.Text, ".git/index.lock") {
			t.Errorf("git add: exit code %d, %q", result.ExitCode, result.Stderr.Text)
		}
		w.wantAbsent(filepath.Join(w.workspace, ".git", "index.lock"))
	})
}

func TestACommandThatRunsASandboxItself(t *testing.T) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skipf("bwrap is not usable here: %v", err)
	}
	forEachSetup(t, func(t *testing.T, s setup) {
		w := newWorld(t, s.config, bashsandbox.Config{})
		result := w.run(sandbox.ReadOnly, bwrap+" --ro-bind / / --dev /dev --proc /proc -- echo in")
		if nests := s.runner == sandboxlocal.Bwrap && os.Getuid() != 0; nests && result.Stdout.Text != "in\n" {
			t.Errorf("an ordinary user cannot nest: exit code %d, %q", result.ExitCode, result.Stderr.Text)
		}
		if result.Sandbox.RunnerFailed {
			t.Errorf("the inner sandbox's failure is taken for ours: %+v", result.Sandbox)
		}
	})
}

func TestATranslatedDenialIsRecognised(t *testing.T) {
	for _, language := range []string{"de", "zh_CN", "fr", "es"} {
		t.Setenv("LANGUAGE", language)
		t.Setenv("LC_ALL", "C.UTF-8")
		forEachSetup(t, func(t *testing.T, s setup) {
			w := newWorld(t, s.config, bashsandbox.Config{})
			w.wantFacts(w.run(sandbox.ReadOnly, "touch "+filepath.Join(w.beside, "x")).Sandbox, sandbox.ReadOnly, true)
			if result := w.run(sandbox.ReadOnly, "printf é | wc -m | tr -d ' '"); result.Stdout.Text != "1\n" {
				t.Errorf("é has %q characters", result.Stdout.Text)
			}
		})
	}
}
