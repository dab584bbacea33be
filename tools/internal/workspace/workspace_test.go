package workspace

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/treetest"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	treetest.Write(t, root, map[string]string{
		"go.work":          "go 1.26\n\nuse ./bash\n\nreplace github.com/dsh-go/dsh/sandbox v0.1.0 => ./sandbox\n",
		"bash/go.mod":      "module github.com/dsh-go/dsh/bash\n\ngo 1.26\n\nrequire (\n\texample.com/x v1.0.0\n\tgithub.com/dsh-go/dsh/sandbox v0.1.0\n)\n",
		"bash/deep/x.file": "",
	})
	w, err := Find(filepath.Join(root, "bash", "deep"))
	if err != nil {
		t.Fatal(err)
	}
	m, ok := w.Module("github.com/dsh-go/dsh/bash")
	if !ok || w.Root != root || m.Name != "bash" || m.Dir != filepath.Join(root, "bash") {
		t.Errorf("%+v", w)
	}
	if got := m.Siblings(); len(got) != 1 || got[Prefix+"sandbox"] != "v0.1.0" {
		t.Errorf("siblings: %v", got)
	}
	if _, ok := w.Module("github.com/dsh-go/dsh/nope"); ok {
		t.Error("found a module that is not there")
	}
	for line, want := range map[string]bool{
		"github.com/dsh-go/dsh/sandbox v0.1.0 h1:x=\n":        true,
		"github.com/dsh-go/dsh/sandbox v0.1.0/go.mod h1:x=\n": true,
		"github.com/dsh-go/dsh/sandbox v0.2.0 h1:x=\n":        false,
		"example.com/x v1.0.0 h1:x=\n":                        false,
		"\n":                                                  false,
	} {
		if w.SumsUnreleased(line) != want {
			t.Errorf("SumsUnreleased(%q) is not %v", line, want)
		}
	}
}

func TestFindNothing(t *testing.T) {
	if _, err := Find(t.TempDir()); !errors.Is(err, ErrNoWorkspace) {
		t.Error(err)
	}
}

func TestOpenFails(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"go.work names bash":  {"go.work": "go 1.26\nuse ./bash\n"},
		"no module line":      {"go.work": "go 1.26\nuse ./bash\n", "bash/go.mod": "go 1.26\n"},
		"unknown directive":   {"go.work": "go 1.26\nbogus\n"},
		"unknown directive: ": {"go.work": "go 1.26\nuse ./bash\n", "bash/go.mod": "bogus x\n"},
	} {
		root := t.TempDir()
		treetest.Write(t, root, files)
		if _, err := Open(root); err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(name, ": ")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
