package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/testrun"
	"github.com/dsh-go/dsh/tools/internal/treetest"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// ordinaryTree is a checkout that only its owner can read, with one package
// whose tests say who runs them.
func ordinaryTree(t *testing.T, test string) *session {
	t.Helper()
	if !canBecomeOrdinary() {
		t.Skip("only root can become an ordinary user")
	}
	root := t.TempDir()
	treetest.Write(t, root, map[string]string{
		"go.work":                 "go 1.26\n\nuse ./sandbox\n",
		"sandbox/go.mod":          "module " + workspace.Prefix + "sandbox\n\ngo 1.26\n",
		"sandbox/testdata/golden": "gold",
		"sandbox/sandbox_test.go": "package sandbox\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestX(t *testing.T) {\n" + test + "}\n",
	})
	treetest.Commit(t, root)
	if err := os.Chmod(root, 0o700); err != nil {
		t.Fatal(err)
	}
	tree, err := workspace.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return newSession(tree, options{}, os.Stdout)
}

func TestOrdinary(t *testing.T) {
	s := ordinaryTree(t, `
	if os.Getuid() != 65534 {
		t.Errorf("uid %d", os.Getuid())
	}
	if golden, err := os.ReadFile("testdata/golden"); string(golden) != "gold" {
		t.Error(err)
	}
	home, _ := os.UserHomeDir()
	if err := os.WriteFile(home+"/x", nil, 0o600); err != nil {
		t.Error(err)
	}
	if os.WriteFile(t.TempDir()+"/x", nil, 0o600) != nil {
		t.Error(os.TempDir())
	}
`)
	run := s.ordinary(t.Context())
	if run.err != nil {
		t.Fatal(run.err)
	}
	if got := len(run.results.Tests(testrun.Pass)); got != 1 {
		t.Errorf("%d tests passed", got)
	}
}

func TestOrdinaryHomeIsRemoved(t *testing.T) {
	s := ordinaryTree(t, "")
	home, err := newOrdinaryHome(s.tree.Root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(home.tree(), ".git")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the history was copied, or: %v", err)
	}
	if err := home.remove(); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{home.dir, home.tmp} {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there, or: %v", dir, err)
		}
	}
}

func TestOrdinaryFails(t *testing.T) {
	for _, test := range []struct{ name, body, says string }{
		{"a failure", "\tt.Error(\"bad\", os.Getuid())\n", "bad 65534"},
		{"a crash", "\tos.Stdout.WriteString(\"dying\\n\")\n\tos.Exit(0)\n", "sandbox"},
		{"a temporary file", "\tif _, err := os.MkdirTemp(\"\", \"litter\"); err != nil {\n\t\tt.Error(err)\n\t}\n", "litter"},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := ordinaryTree(t, test.body).ordinary(t.Context())
			if run.err == nil || !strings.Contains(run.err.Error(), test.says) {
				t.Errorf("%v", run.err)
			}
		})
	}
}

func TestBecomeOrdinaryHasNoGroups(t *testing.T) {
	if !canBecomeOrdinary() {
		t.Skip("only root can become an ordinary user")
	}
	if _, err := exec.LookPath("id"); err != nil {
		t.Skip("there is no id program")
	}
	out, err := gotool.Cmd{Dir: "/", Prepare: becomeOrdinary}.Run(t.Context(), "id", "-G")
	if err != nil || strings.TrimSpace(out) != "65534" {
		t.Errorf("%q, %v", out, err)
	}
}
