package rules

import (
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh/tools/internal/deps"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// documents are the pages that show the allowed dependencies. The reasons in
// the English one are the list's own words.
var documents = []struct {
	name    string
	english bool
}{{"docs/dependencies.md", true}, {"docs/dependencies.zh.md", false}}

// dependencies compares what the modules require, and what the documents say
// about it, with what is allowed.
func dependencies(tree *workspace.Workspace, allowed deps.List) []Violation {
	var all []Violation
	for _, m := range tree.Modules {
		for _, broken := range allowed.Compare(m.Name, required(m)) {
			all = append(all, violation(m.Name+"/go.mod", "%s", broken))
		}
	}
	for _, d := range documents {
		page, err := os.ReadFile(filepath.Join(tree.Root, filepath.FromSlash(d.name)))
		if err != nil {
			all = append(all, violation(d.name, "%v", err))
			continue
		}
		for _, broken := range allowed.ComparePage(string(page), d.english) {
			all = append(all, violation(d.name, "%s", broken))
		}
	}
	return all
}

// required lists the modules from elsewhere that a go.mod requires, those
// that it requires on behalf of others included.
func required(m workspace.Module) []string {
	siblings := m.Siblings()
	var paths []string
	for _, r := range m.File.Require {
		if _, ok := siblings[r.Mod.Path]; !ok {
			paths = append(paths, r.Mod.Path)
		}
	}
	return paths
}
