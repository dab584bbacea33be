package rehearsal

import (
	"errors"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/treetest"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// tree opens a workspace of two modules, in which bash requires sandbox at
// v0.3.4 and go.work ends with the lines.
func tree(t *testing.T, lines string) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	treetest.Write(t, root, map[string]string{
		"go.work":        "go 1.26\n\nuse (\n\t./sandbox\n\t./bash\n)\n" + lines,
		"sandbox/go.mod": "module github.com/dsh-go/dsh/sandbox\n\ngo 1.26\n",
		"bash/go.mod":    "module github.com/dsh-go/dsh/bash\n\ngo 1.26\n\nrequire github.com/dsh-go/dsh/sandbox v0.3.4\n",
	})
	w, err := workspace.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestPlan(t *testing.T) {
	const unreleased = "replace github.com/dsh-go/dsh/sandbox v0.3.4 => ./sandbox\n"
	for _, test := range []struct {
		name, work string
		asked      map[string]string
		sandbox    string
		releases   int
	}{
		{"the version that siblings require", unreleased, nil, "v0.3.4", 2},
		{"the one after a released version", "", nil, "v0.3.5", 2},
		{"another version on top", unreleased, map[string]string{"sandbox": "v0.4.0"}, "v0.4.0", 3},
		{"the same version is not published twice", unreleased, map[string]string{"sandbox": "v0.3.4"}, "v0.3.4", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := newPlan(tree(t, test.work), test.asked)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.consumed["sandbox"].Version; got != test.sandbox {
				t.Errorf("sandbox is consumed at %s, want %s", got, test.sandbox)
			}
			if got := p.consumed["bash"].Version; got != firstVersion {
				t.Errorf("bash, which nobody requires, is consumed at %s", got)
			}
			if len(p.releases) != test.releases {
				t.Errorf("%d releases, want %d: %v", len(p.releases), test.releases, p.releases)
			}
		})
	}
}

func TestPlanForAModuleThatIsNotThere(t *testing.T) {
	if _, err := newPlan(tree(t, ""), map[string]string{"nope": "v1.0.0"}); !errors.Is(err, errNoModule) {
		t.Error(err)
	}
}

func TestPatchAfter(t *testing.T) {
	for version, want := range map[string]string{"v0.1.0": "v0.1.1", "v1.20.9": "v1.20.10", "v2.0.3-rc.1": "v2.0.4"} {
		if got := patchAfter(version); got != want {
			t.Errorf("patchAfter(%s) = %s, want %s", version, got, want)
		}
	}
}
