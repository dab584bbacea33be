package rehearsal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/deps"
	"github.com/dsh-go/dsh/tools/internal/modproxy"
	"github.com/dsh-go/dsh/tools/internal/treetest"
	"golang.org/x/mod/module"
)

// healthy is a small checkout in which nothing is wrong but that its go.sum
// files have not been written yet.
var healthy = map[string]string{
	"LICENSE": "Do as you like.\n",
	"go.work": `go 1.26

use (
	./sandbox
	./sandbox-policy
	./bash-local
)

replace (
	github.com/dsh-go/dsh/sandbox v0.1.0 => ./sandbox
	github.com/dsh-go/dsh/sandbox-policy v0.1.0 => ./sandbox-policy
)
`,
	"docs/dependencies.md":    "| Module | Dependency | Why |\n|---|---|---|\n| `bash-local` | `example.com/third` | it greets |\n",
	"docs/dependencies.zh.md": "| 模块 | 依赖 | 理由 |\n|---|---|---|\n| `bash-local` | `example.com/third` | 问候 |\n",
	"sandbox/go.mod":          "module github.com/dsh-go/dsh/sandbox\n\ngo 1.26\n",
	"sandbox/sandbox.go":      "package sandbox\n\nfunc Mode() string { return \"read-only\" }\n",
	"sandbox/sandbox_test.go": "package sandbox\n\nimport \"testing\"\n\nfunc TestMode(t *testing.T) {\n\tif Mode() == \"\" {\n\t\tt.Fatal()\n\t}\n}\n",
	"sandbox-policy/go.mod":   "module github.com/dsh-go/dsh/sandbox-policy\n\ngo 1.26\n\nrequire github.com/dsh-go/dsh/sandbox v0.1.0\n",
	"sandbox-policy/policy.go": "package sandboxpolicy\n\n" +
		"import \"github.com/dsh-go/dsh/sandbox\"\n\nfunc Default() string { return sandbox.Mode() }\n",
	"bash-local/go.mod": "module github.com/dsh-go/dsh/bash-local\n\ngo 1.26\n\n" +
		"require (\n\texample.com/third v1.0.0\n\tgithub.com/dsh-go/dsh/sandbox v0.1.0\n)\n",
	"bash-local/bash.go": "package bashlocal\n\n" +
		"import (\n\t\"example.com/third\"\n\t\"github.com/dsh-go/dsh/sandbox\"\n)\n\nfunc Run() string { return third.Greeting + sandbox.Mode() }\n",
}

// removed, as the content of a changed file, takes the file away.
const removed = "removed"

var third = map[string]string{
	"go.mod":   "module example.com/third\n\ngo 1.26\n",
	"third.go": "package third\n\nconst Greeting = \"hello\"\n",
}

// checkout makes a checkout of the healthy tree that differs as said, and a
// configuration to rehearse it without a network. Its steps are collected.
func checkout(t *testing.T, changes map[string]string) (Config, map[string]Step) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds several modules")
	}
	elsewhere, root := t.TempDir(), t.TempDir()
	treetest.Write(t, elsewhere, third)
	treetest.Commit(t, elsewhere)
	proxy := modproxy.Proxy{Dir: t.TempDir()}
	version := module.Version{Path: "example.com/third", Version: "v1.0.0"}
	if err := proxy.Publish(elsewhere, "HEAD", "", version); err != nil {
		t.Fatal(err)
	}
	steps := map[string]Step{}
	c := Config{
		Root: root, Allowed: deps.List{{Module: "bash-local", Dependency: "example.com/third", Reason: "it greets"}},
		Proxy: proxy.URL() + ",off", Report: func(s Step) { steps[s.Name] = s },
	}
	treetest.Write(t, root, healthy)
	treetest.Commit(t, root)
	if err := Tidy(t.Context(), c); err != nil {
		t.Fatal(describe(err, steps))
	}
	clear(steps)
	treetest.Write(t, root, changes)
	for name, content := range changes {
		if content == removed {
			if err := os.Remove(filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	treetest.Commit(t, root)
	return c, steps
}

func describe(err error, steps map[string]Step) string {
	var b strings.Builder
	fmt.Fprintln(&b, err)
	for _, s := range steps {
		fmt.Fprintf(&b, "%s: %s: %v\n", s.Name, s.Fact, s.Err)
	}
	return b.String()
}

func TestAHealthyTreeIsGreen(t *testing.T) {
	t.Parallel()
	c, steps := checkout(t, nil)
	if err := Run(t.Context(), c); err != nil {
		t.Fatal(describe(err, steps))
	}
	for _, name := range []string{"snapshot", "rules", "tags", "sandbox", "sandbox-policy", "bash-local"} {
		if _, ok := steps[name]; !ok {
			t.Errorf("no step %s", name)
		}
	}
	if got := steps["sandbox"].Fact; got != "v0.1.0: 1 packages, 1 tests" {
		t.Errorf("sandbox: %q", got)
	}
}

func TestTidyKeepsOnlySumsThatAnybodyCanCheck(t *testing.T) {
	t.Parallel()
	c, _ := checkout(t, nil)
	sums, err := os.ReadFile(filepath.Join(c.Root, "bash-local", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(sums), "example.com/third v1.0.0 h1:") || strings.Contains(string(sums), "dsh-go") {
		t.Errorf("go.sum:\n%s", sums)
	}
	if _, err := os.Stat(filepath.Join(c.Root, "sandbox", "go.sum")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("sandbox has a go.sum, or: %v", err)
	}
}

// TestBrokenTrees breaks the healthy tree in each way that a workspace hides.
func TestBrokenTrees(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		changes map[string]string
		// step is the one that must fail, with an error that says so.
		step, says string
	}{
		{
			name: "a sibling is imported but not required",
			changes: map[string]string{
				"sandbox-policy/go.mod": "module github.com/dsh-go/dsh/sandbox-policy\n\ngo 1.26\n",
			},
			step: "sandbox-policy", says: "sandbox-policy imports from github.com/dsh-go/dsh/sandbox without requiring it",
		},
		{
			name: "a test reads a file outside its module",
			changes: map[string]string{
				"sandbox/outside_test.go": "package sandbox\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n" +
					"func TestOutside(t *testing.T) {\n\tif _, err := os.ReadFile(\"../go.work\"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
			},
			step: "sandbox", says: "TestOutside",
		},
		{
			name: "a dependency is imported but not required",
			changes: map[string]string{
				"sandbox/sandbox.go": "package sandbox\n\nimport \"example.com/third\"\n\nfunc Mode() string { return third.Greeting }\n",
			},
			step: "sandbox", says: "sandbox imports from example.com/third without requiring it",
		},
		{
			name: "only a test imports what is not required",
			changes: map[string]string{
				"sandbox/third_test.go": "package sandbox\n\nimport _ \"example.com/third\"\n",
			},
			step: "sandbox", says: "sandbox imports from example.com/third without requiring it",
		},
		{
			name: "a dependency is required without a reason",
			changes: map[string]string{
				"sandbox-policy/go.mod": "module github.com/dsh-go/dsh/sandbox-policy\n\ngo 1.26\n\n" +
					"require (\n\texample.com/third v1.0.0\n\tgithub.com/dsh-go/dsh/sandbox v0.1.0\n)\n",
			},
			step: "rules", says: "sandbox-policy/go.mod: requires example.com/third, for which the list of dependencies gives no reason",
		},
		{
			name: "a go.mod is not tidy",
			changes: map[string]string{
				"bash-local/bash.go": "package bashlocal\n\nimport \"example.com/third\"\n\nfunc Run() string { return third.Greeting }\n",
			},
			step: "bash-local", says: "-\tgithub.com/dsh-go/dsh/sandbox v0.1.0",
		},
		{
			name:    "a go.sum lacks a line",
			changes: map[string]string{"bash-local/go.sum": removed},
			step:    "bash-local", says: "+example.com/third v1.0.0 h1:",
		},
		{
			name: "an implementation imports an implementation",
			changes: map[string]string{
				"bash-local/go.mod": "module github.com/dsh-go/dsh/bash-local\n\ngo 1.26\n\n" +
					"require (\n\texample.com/third v1.0.0\n\tgithub.com/dsh-go/dsh/sandbox v0.1.0\n\tgithub.com/dsh-go/dsh/sandbox-policy v0.1.0\n)\n",
				"bash-local/more.go": "package bashlocal\n\nimport _ \"github.com/dsh-go/dsh/sandbox-policy\"\n",
			},
			step: "rules", says: "bash-local: imports github.com/dsh-go/dsh/sandbox-policy: an implementation never imports an implementation",
		},
		{
			name:    "a module has no packages",
			changes: map[string]string{"sandbox-policy/policy.go": removed},
			step:    "sandbox-policy", says: errNoPackages.Error(),
		},
		{
			name: "siblings want a module at two versions",
			changes: map[string]string{
				"sandbox-policy/go.mod": "module github.com/dsh-go/dsh/sandbox-policy\n\ngo 1.26\n\nrequire github.com/dsh-go/dsh/sandbox v0.2.0\n",
			},
			says: errTwoVersions.Error(),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, steps := checkout(t, test.changes)
			c.Only = []string{test.step}
			err := Run(t.Context(), c)
			if test.step != "" {
				if !errors.Is(err, ErrRed) {
					t.Errorf("Run: %v", err)
				}
				err = steps[test.step].Err
			}
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("want %q in:\n%s", test.says, describe(err, steps))
			}
		})
	}
}

func TestUntidyErrorIsTyped(t *testing.T) {
	before, after := tidied{mod: "a\nb\n"}, tidied{mod: "a\nc\n"}
	var e *UntidyError
	if !errors.As(untidy("bash", before, after), &e) || strings.Join(e.Diff, " ") != "-b +c" {
		t.Errorf("%+v", e)
	}
	if err := untidy("bash", before, before); err != nil {
		t.Error(err)
	}
}
