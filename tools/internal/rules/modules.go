package rules

import (
	"context"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/workspace"
	"golang.org/x/mod/modfile"
)

// modules checks what each go.mod, and the go.sum beside it, says.
func modules(tree *workspace.Workspace) []Violation {
	var all []Violation
	for _, m := range tree.Modules {
		file := m.Name + "/go.mod"
		if m.Path() != workspace.Prefix+m.Name {
			all = append(all, violation(file, "declares %s; the path is %s and the directory", m.Path(), workspace.Prefix))
		}
		if language(m.File.Go) != language(tree.Work.Go) {
			all = append(all, violation(file, "its go line names another version of the language than go.work"))
		}
		if len(m.File.Replace) > 0 || len(m.File.Exclude) > 0 || m.File.Toolchain != nil {
			all = append(all, violation(file, "has a replace, exclude or toolchain line; a consumer would not see it"))
		}
		all = append(all, seamRequirements(m)...)
		all = append(all, unreleasedSums(tree, m)...)
	}
	return all
}

// language returns the version of Go that a go line asks for, without the
// patch release that a dependency may have raised it to.
func language(line *modfile.Go) string {
	if line == nil {
		return ""
	}
	return version.Lang("go" + line.Version)
}

// seamRequirements: what everybody builds on brings nothing along.
func seamRequirements(m workspace.Module) []Violation {
	if !isSeam(m.Name) {
		return nil
	}
	var all []Violation
	for _, r := range m.File.Require {
		if m.Name == sandboxSeam || r.Mod.Path != workspace.Prefix+sandboxSeam {
			all = append(all, violation(m.Name+"/go.mod", "requires %s; a seam has no such requirement", r.Mod.Path))
		}
	}
	return all
}

// unreleasedSums: the sum of a sibling that has not been tagged would be
// wrong by the time it is.
func unreleasedSums(tree *workspace.Workspace, m workspace.Module) []Violation {
	data, err := os.ReadFile(filepath.Join(m.Dir, "go.sum"))
	if err != nil {
		return nil
	}
	var all []Violation
	for line := range strings.Lines(string(data)) {
		if tree.SumsUnreleased(line) {
			all = append(all, violation(m.Name+"/go.sum", "has a line for an unreleased sibling: %s", strings.TrimSpace(line)))
		}
	}
	return all
}

// workFile: go.work stands in for the versions that are not tagged yet, and
// for nothing else.
func workFile(tree *workspace.Workspace) []Violation {
	var all []Violation
	if tree.Work.Toolchain != nil {
		all = append(all, violation("go.work", "has a toolchain line"))
	}
	for _, r := range tree.Work.Replace {
		name, sibling := strings.CutPrefix(r.Old.Path, workspace.Prefix)
		if !sibling || r.Old.Version == "" || r.New.Path != "./"+name || r.New.Version != "" {
			all = append(all, violation("go.work", "replaces %s: only one version of a sibling is ever replaced, by its directory", r.Old))
		}
	}
	return all
}

// unnamedModules looks for a go.mod that go.work does not name.
func unnamedModules(_ context.Context, tree *workspace.Workspace) ([]Violation, error) {
	var all []Violation
	err := filepath.WalkDir(tree.Root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		dir, file := filepath.Split(path)
		named := func(m workspace.Module) bool { return m.Dir == filepath.Clean(dir) }
		if file == "go.mod" && !slices.ContainsFunc(tree.Modules, named) {
			relative := strings.TrimPrefix(path, tree.Root+string(filepath.Separator))
			all = append(all, violation(filepath.ToSlash(relative), "go.work does not name this module"))
		}
		return nil
	})
	return all, err
}

// cycles follows the requirements between the modules; those that only tests
// need count too.
func cycles(tree *workspace.Workspace) []Violation {
	const visiting, done = 1, 2
	state := map[string]int{}
	var visit func(m workspace.Module) bool
	visit = func(m workspace.Module) bool {
		state[m.Name] = visiting
		for path := range m.Siblings() {
			next, ok := tree.Module(path)
			if ok && (state[next.Name] == visiting || state[next.Name] == 0 && visit(next)) {
				return true
			}
		}
		state[m.Name] = done
		return false
	}
	for _, m := range tree.Modules {
		if state[m.Name] == 0 && visit(m) {
			return []Violation{violation(m.Name, "requires itself in a circle, so that no go.sum could ever be complete")}
		}
	}
	return nil
}
