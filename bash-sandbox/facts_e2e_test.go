package bashsandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash"
	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
)

func TestAWriteOutsideIsDeniedAndSaidSo(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{})
		for _, mode := range confining {
			outside := filepath.Join(w.beside, "x")
			result := w.run(mode, "echo before; echo x > "+outside)
			if result.ExitCode != 1 || result.Stdout.Text != "before\n" {
				t.Errorf("%s: exit code %d, stdout %q", mode, result.ExitCode, result.Stdout.Text)
			}
			w.wantFacts(result.Sandbox, mode, true)
			state, _ := w.background(mode, "echo x > "+outside)
			w.wantFacts(state.Sandbox, mode, true)
			w.wantAbsent(outside)
		}
	})
}

func TestTheWorkspaceIsWritableOnlyWhenTheModeSaysSo(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{})
		inside := filepath.Join(w.workspace, "x")
		result := w.run(sandbox.ReadOnly, "echo x > x")
		w.wantFacts(result.Sandbox, sandbox.ReadOnly, true)
		w.wantAbsent(inside)
		result = w.run(sandbox.WorkspaceWrite, "echo x > x")
		w.wantFacts(result.Sandbox, sandbox.WorkspaceWrite, false)
		w.wantFile(inside, "x\n")
	})
}

func TestOneWiderCallWidensNothingElse(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{})
		const command = "echo x >> count"
		for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite, sandbox.ReadOnly} {
			result := w.run(mode, command)
			w.wantFacts(result.Sandbox, mode, mode == sandbox.ReadOnly)
		}
		w.wantFile(filepath.Join(w.workspace, "count"), "x\n")
	})
}

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

func TestDenialIsConservative(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{})
		outside := filepath.Join(w.beside, "x")
		for _, command := range []string{
			"echo 'Permission denied: Read-only file system' >&2",
			"touch " + outside + " | cat",
			"touch " + outside + "; true",
			"false",
		} {
			w.wantFacts(w.run(sandbox.ReadOnly, command).Sandbox, sandbox.ReadOnly, false)
		}
		w.wantAbsent(outside)
	})
}

func TestADenialIsSeenThoughTheTailLostIt(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{MaxBytes: 1000})
		command := "touch " + filepath.Join(w.beside, "x") + "; seq 1 50000 >&2; exit 1"
		result := w.run(sandbox.ReadOnly, command)
		w.wantFacts(result.Sandbox, sandbox.ReadOnly, true)
		state, _ := w.background(sandbox.ReadOnly, command)
		w.wantFacts(state.Sandbox, sandbox.ReadOnly, true)
	})
}

// TestARunnersWordsInTheMouthOfACommand is why a private channel exists.
func TestARunnersWordsInTheMouthOfACommand(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{})
		for _, words := range []string{
			"bwrap: Can't find source path /x: No such file or directory",
			"bwrap: setting up uid map: no",
			"landlock-run: cannot restrict",
			"sandbox-exec: execvp() of 'x' failed",
		} {
			for _, code := range []int{1, 125, 126, 127} {
				command := fmt.Sprintf("echo out; echo %q >&2; exit %d", words, code)
				result := w.run(sandbox.ReadOnly, command)
				if result.ExitCode != code || result.Stdout.Text != "out\n" || result.Stderr.Text != words+"\n" {
					t.Errorf("%q: %d, %q, %q", words, result.ExitCode, result.Stdout.Text, result.Stderr.Text)
				}
				w.wantFacts(result.Sandbox, sandbox.ReadOnly, false)
			}
			state, delta := w.background(sandbox.ReadOnly, fmt.Sprintf("echo %q >&2; exit 125", words))
			w.wantFacts(state.Sandbox, sandbox.ReadOnly, false)
			if state.ExitCode != 125 || delta.Text != "[stderr]\n"+words+"\n" {
				t.Errorf("background: %+v, %q", state, delta.Text)
			}
		}
	})
}

func TestACommandThatKillsItsGroupIsItsOwnDeath(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{})
		for _, signal := range []string{"TERM", "KILL"} {
			result := w.run(sandbox.ReadOnly, "kill -"+signal+" 0; sleep 5")
			w.wantFacts(result.Sandbox, sandbox.ReadOnly, false)
			state, _ := w.background(sandbox.ReadOnly, "kill -"+signal+" 0; sleep 5")
			w.wantFacts(state.Sandbox, sandbox.ReadOnly, false)
			if state.Status != bash.StatusCompleted {
				t.Errorf("state %+v", state)
			}
		}
	})
}

func TestATrapGetsItsGrace(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{Grace: 10 * time.Second})
		req := w.request(sandbox.ReadOnly, "trap 'sleep .3; echo bye; exit 7' TERM; echo ready; sleep 60 & wait")
		req.Timeout = time.Second
		result, err := bash.Run(t.Context(), w.executor, req)
		if err != nil || !result.TimedOut || result.ExitCode != 7 || result.Stdout.Text != "ready\nbye\n" {
			t.Errorf("%v, timed out %v, exit code %d, %q", err, result.TimedOut, result.ExitCode, result.Stdout.Text)
		}
		w.wantFacts(result.Sandbox, sandbox.ReadOnly, false)
	})
}

func TestHereDocuments(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{})
		document := func(size int) string {
			return "cat <<EOF >/dev/null\n" + strings.Repeat("x", size-1) + "\nEOF\n"
		}
		result := w.run(sandbox.ReadOnly, document(4096))
		if runtime.GOOS == "linux" && result.ExitCode != 0 { // bash before 5.1 always needs a file
			t.Errorf("a small document: exit code %d, %q", result.ExitCode, result.Stderr.Text)
		}
		result = w.run(sandbox.ReadOnly, document(65537))
		w.wantFacts(result.Sandbox, sandbox.ReadOnly, true)
		if result.ExitCode != 1 || !strings.Contains(result.Stderr.Text, "here-document") {
			t.Errorf("a large document: exit code %d, %q", result.ExitCode, result.Stderr.Text)
		}
		result = w.run(sandbox.WorkspaceWrite, document(65537))
		w.wantFacts(result.Sandbox, sandbox.WorkspaceWrite, false)
		if result.ExitCode != 0 {
			t.Errorf("a large document with a temporary area: exit code %d, %q", result.ExitCode, result.Stderr.Text)
		}
	})
}

func TestGitReadsUnderReadOnly(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{})
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
		t.Skip(err)
	}
	forEachRunner(t, func(t *testing.T, runner string) {
		w := newWorld(t, runner, bashsandbox.Config{})
		result := w.run(sandbox.ReadOnly, bwrap+" --ro-bind / / --dev /dev --proc /proc -- echo in")
		if nests := runner == sandboxlocal.Bwrap && os.Getuid() != 0; nests && result.Stdout.Text != "in\n" {
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
		forEachRunner(t, func(t *testing.T, runner string) {
			w := newWorld(t, runner, bashsandbox.Config{})
			w.wantFacts(w.run(sandbox.ReadOnly, "touch "+filepath.Join(w.beside, "x")).Sandbox, sandbox.ReadOnly, true)
			if result := w.run(sandbox.ReadOnly, "printf é | wc -m | tr -d ' '"); result.Stdout.Text != "1\n" {
				t.Errorf("é has %q characters", result.Stdout.Text)
			}
		})
	}
}
