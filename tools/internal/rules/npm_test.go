package rules

import (
	"maps"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/treetest"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

func TestNpmPackages(t *testing.T) {
	good := map[string]string{
		"go.work":              "go 1.26\n\nuse ./tools\n",
		"tools/go.mod":         requiring("tools"),
		"docs/dependencies.md": "# D\n\n- `a`: why\n", "docs/dependencies.zh.md": "# D\n\n- `a`：why\n",
		manifestName: `{"dependencies": {"a": "1.2.3"}}`,
		lockName:     `{"packages": {"": {}, "node_modules/a": {"version": "1.2.3", "integrity": "sha512-x"}}}`,
	}
	for _, test := range []struct{ name, file, content, want string }{
		{"lawful", "x", "", ""},
		{
			"a range", manifestName, `{"dependencies": {"a": "^1.2.3"}}`,
			manifestName + `: asks for a at "^1.2.3": one version is asked for`,
		},
		{
			"half a version", manifestName, `{"dependencies": {"a": "1.2"}}`,
			manifestName + `: asks for a at "1.2": one version is asked for`,
		},
		{
			"no reason in one language", "docs/dependencies.zh.md", "# D\n\n- `ab`：why\n",
			"docs/dependencies.zh.md: lacks a, which " + manifestName + " asks for",
		},
		{
			"an address", lockName, `{"packages": {"node_modules/a": {"resolved": "https://example.com/a.tgz", "integrity": "sha512-x"}}}`,
			lockName + ": says where somebody got node_modules/a; see the settings beside it",
		},
		{
			"no content", lockName, `{"packages": {"node_modules/a": {"version": "1.2.3"}}}`,
			lockName + ": does not say what is in node_modules/a",
		},
		{"no JSON", lockName, `{`, lockName + ": unexpected end of JSON input"},
	} {
		root := t.TempDir()
		files := maps.Clone(good)
		files[test.file] = test.content
		treetest.Write(t, root, files)
		tree, err := workspace.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		if broken := Error(npmPackages(tree)); (broken == nil) != (test.want == "") || (broken != nil && broken.Error() != test.want) {
			t.Errorf("%s: %v, want %s", test.name, broken, test.want)
		}
	}
}
