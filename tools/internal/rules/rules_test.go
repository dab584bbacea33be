package rules

import (
	"maps"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/deps"
	"github.com/dsh-go/dsh/tools/internal/treetest"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// requiring returns the go.mod of a module that requires siblings.
func requiring(module string, siblings ...string) string {
	text := "module " + workspace.Prefix + module + "\n\ngo 1.26\n"
	for _, s := range siblings {
		text += "\nrequire " + workspace.Prefix + s + " v0.1.0\n"
	}
	return text
}

// importing returns a file of a package that imports siblings.
func importing(name string, siblings ...string) string {
	text := "package " + name + "\n"
	for _, s := range siblings {
		text += "\nimport _ \"" + workspace.Prefix + s + "\"\n"
	}
	return text
}

// lawful is a checkout that breaks no rule.
var lawful = map[string]string{
	"go.work": "go 1.26.0\n\nuse (\n\t./sandbox\n\t./bash\n\t./bash-local\n\t./bash-sandbox\n\t./sandbox-policy\n\t./tools\n)\n\n" +
		"replace (\n\tgithub.com/dsh-go/dsh/sandbox v0.1.0 => ./sandbox\n\tgithub.com/dsh-go/dsh/bash v0.1.0 => ./bash\n" +
		"\tgithub.com/dsh-go/dsh/bash-local v0.1.0 => ./bash-local\n\tgithub.com/dsh-go/dsh/sandbox-policy v0.1.0 => ./sandbox-policy\n" +
		"\tgithub.com/dsh-go/dsh/bash-sandbox v0.1.0 => ./bash-sandbox\n)\n",
	"sandbox/go.mod":              requiring("sandbox"),
	"sandbox/sandbox.go":          importing("sandbox"),
	"bash/go.mod":                 requiring("bash", "sandbox"),
	"bash/bash.go":                importing("bash", "sandbox"),
	"bash-local/go.mod":           requiring("bash-local", "bash", "sandbox"),
	"bash-local/local.go":         importing("bashlocal", "bash"),
	"bash-local/local_test.go":    importing("bashlocal", "sandbox"),
	"bash-sandbox/go.mod":         requiring("bash-sandbox", "bash-local", "sandbox-policy"),
	"bash-sandbox/sandbox.go":     importing("bashsandbox", "bash-local"),
	"bash-sandbox/x_test.go":      importing("bashsandbox_test", "sandbox-policy"),
	"sandbox-policy/go.mod":       requiring("sandbox-policy", "sandbox"),
	"sandbox-policy/policy.go":    importing("sandboxpolicy", "sandbox"),
	"tools/go.mod":                requiring("tools", "bash-local", "sandbox-policy"),
	"tools/tools.go":              importing("tools", "bash-local", "sandbox-policy"),
	"tools/internal/x/x.go":       importing("x"),
	"docs/dependencies.md":        "",
	"docs/dependencies.zh.md":     "",
	".ci/run":                     "",
	"bash/testdata/other/go.mod":  "module example.com/other\n",
	"bash/testdata/other/main.go": "package main\n",
}

func checkTree(t *testing.T, changes map[string]string, allowed deps.List) []Violation {
	t.Helper()
	root := t.TempDir()
	files := maps.Clone(lawful)
	maps.Copy(files, changes)
	treetest.Write(t, root, files)
	tree, err := workspace.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	broken, err := Check(t.Context(), tree, allowed)
	if err != nil {
		t.Fatal(err)
	}
	return broken
}

func TestALawfulTree(t *testing.T) {
	if broken := checkTree(t, nil, nil); Error(broken) != nil {
		t.Error(Error(broken))
	}
}

func TestEachRule(t *testing.T) {
	const prefix = workspace.Prefix
	const implementations = "an implementation never imports an implementation"
	for _, test := range []struct {
		name    string
		changes map[string]string
		want    string
	}{
		{
			"an implementation imports another", map[string]string{
				"sandbox-policy/go.mod": requiring("sandbox-policy", "sandbox", "bash-local"),
				"sandbox-policy/x.go":   importing("sandboxpolicy", "bash-local"),
			}, "sandbox-policy: imports " + prefix + "bash-local: " + implementations,
		},
		{
			"only on one system", map[string]string{
				"sandbox-policy/go.mod":       requiring("sandbox-policy", "sandbox", "bash-local"),
				"sandbox-policy/x_windows.go": importing("sandboxpolicy", "bash-local"),
			}, "sandbox-policy: imports " + prefix + "bash-local: " + implementations,
		},
		{
			"the exception has one direction", map[string]string{
				"bash-local/go.mod":   requiring("bash-local", "bash", "sandbox", "bash-sandbox"),
				"bash-sandbox/go.mod": requiring("bash-sandbox", "sandbox-policy"),
				"bash-local/x.go":     importing("bashlocal", "bash-sandbox"),
				// Without the usual import, so that there is no circle.
				"bash-sandbox/sandbox.go": importing("bashsandbox"),
			}, "bash-local: imports " + prefix + "bash-sandbox: " + implementations,
		},
		{
			"a seam imports an implementation", map[string]string{
				"bash/x.go": importing("bash", "sandbox-policy"),
			}, "bash: imports " + prefix + "sandbox-policy: the executor seam imports sandbox and the standard library alone",
		},
		{
			"a seam's tests import an implementation", map[string]string{
				"sandbox/x_test.go": importing("sandbox_test", "sandbox-policy"),
			}, "sandbox: tests import " + prefix + "sandbox-policy: the confinement seam imports the standard library alone",
		},
		{
			"a module imports the programs", map[string]string{
				"bash-local/x_test.go": importing("bashlocal", "tools"),
			}, "bash-local: tests import " + prefix + "tools: nothing imports the programs",
		},
		{
			"modules in a circle", map[string]string{
				"bash-local/go.mod": requiring("bash-local", "bash", "sandbox", "bash-sandbox"),
			}, "bash-local: requires itself in a circle, so that no go.sum could ever be complete",
		},
		{
			"a replace line", map[string]string{
				"bash/go.mod": requiring("bash", "sandbox") + "\nreplace example.com/x => ../x\n",
			}, "bash/go.mod: has a replace, exclude or toolchain line; a consumer would not see it",
		},
		{
			"an exclude line", map[string]string{
				"bash/go.mod": requiring("bash", "sandbox") + "\nexclude example.com/x v1.0.0\n",
			}, "bash/go.mod: has a replace, exclude or toolchain line; a consumer would not see it",
		},
		{
			"a toolchain line", map[string]string{
				"bash/go.mod": requiring("bash", "sandbox") + "\ntoolchain go1.26.1\n",
			}, "bash/go.mod: has a replace, exclude or toolchain line; a consumer would not see it",
		},
		{
			"another language version", map[string]string{
				"sandbox/go.mod": "module " + prefix + "sandbox\n\ngo 1.25\n",
			}, "sandbox/go.mod: its go line names another version of the language than go.work",
		},
		{
			"a module that go.work does not name", map[string]string{
				"bash/extra/go.mod": "module example.com/extra\n",
			}, "bash/extra/go.mod: go.work does not name this module",
		},
		{
			"a folder that has no business there", map[string]string{
				"scripts/x.sh": "",
			}, "scripts: is neither a module nor one of docs, .github and .ci",
		},
		{
			"a file that is not formatted", map[string]string{
				"tools/internal/x/x.go": "package  x\n",
			}, "tools/internal/x/x.go: is not formatted; run gofmt -w",
		},
		{
			"a sum of an unreleased sibling", map[string]string{
				"bash-local/go.sum": prefix + "bash v0.1.0/go.mod h1:x=\n",
			}, "bash-local/go.sum: has a line for an unreleased sibling: " + prefix + "bash v0.1.0/go.mod h1:x=",
		},
		{
			"go.work replaces more than a version", map[string]string{
				"go.work": lawful["go.work"] + "\nreplace example.com/x => ./sandbox\n",
			}, "go.work: replaces example.com/x: only one version of a sibling is ever replaced, by its directory",
		},
		{
			"a page shows what is not allowed", map[string]string{
				"docs/dependencies.md": "| `bash-local` | `example.com/x` | why |\n",
			}, "docs/dependencies.md: shows that bash-local requires example.com/x, which is not allowed",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			broken := checkTree(t, test.changes, nil)
			if len(broken) != 1 || broken[0].String() != test.want {
				t.Errorf("want %s\ngot  %v", test.want, Error(broken))
			}
		})
	}
}

// A requirement that nobody imports, so that the go command need not look for
// it: the file alone breaks the rules.
func TestRequirementsFromElsewhere(t *testing.T) {
	tree := func(module string) *workspace.Workspace {
		root := t.TempDir()
		treetest.Write(t, root, map[string]string{
			"go.work":          "go 1.26\n\nuse ./" + module + "\n",
			module + "/go.mod": requiring(module) + "\nrequire example.com/x v1.0.0\n",
		})
		w, err := workspace.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	for _, seam := range []string{"sandbox", "bash"} {
		if got := Error(modules(tree(seam))); got == nil || got.Error() != seam+"/go.mod: requires example.com/x; a seam has no such requirement" {
			t.Errorf("%s: %v", seam, got)
		}
	}
	if got := Error(modules(tree("bash-local"))); got != nil {
		t.Error(got)
	}
	allowed := deps.List{{Module: "bash-local", Dependency: "example.com/x", Reason: "why"}}
	// The pages are missing, which is another matter.
	if got := dependencies(tree("bash-local"), allowed); len(got) != len(documents) {
		t.Errorf("allowed: %v", got)
	}
	if got := dependencies(tree("bash-local"), nil); len(got) != len(documents)+1 {
		t.Errorf("not allowed: %v", got)
	}
}

// Git knows which folders are ignored.
func TestIgnoredFolders(t *testing.T) {
	root := t.TempDir()
	treetest.Write(t, root, map[string]string{".gitignore": "/bin/\n", "bin/dsh": "", "odd/x": "", "docs/x": ""})
	treetest.Commit(t, root)
	broken, err := folders(t.Context(), &workspace.Workspace{Root: root})
	if err != nil || len(broken) != 1 || broken[0].Where != "odd" {
		t.Errorf("%v, %v", broken, err)
	}
}
