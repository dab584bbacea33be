// Package workspace reads a checkout with several modules: its go.work file
// and the go.mod file of every module that it names.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Prefix is what the path of every module of the project begins with; the
// module's directory follows.
const Prefix = "github.com/dsh-go/dsh/"

// ErrNoWorkspace says that neither a directory nor any above it has a go.work.
var ErrNoWorkspace = errors.New("not inside a checkout: no go.work here or above")

// Workspace is a checkout as its go.work describes it.
type Workspace struct {
	// Root is the absolute directory of the go.work file.
	Root string
	Work *modfile.WorkFile
	// Modules are those that go.work names, in its order.
	Modules []Module
}

// Module is one module of the checkout.
type Module struct {
	// Name is the module's directory, slash-separated and relative to Root.
	Name string
	// Dir is the same directory, absolute.
	Dir  string
	File *modfile.File
}

// Path returns the module path that go.mod declares.
func (m Module) Path() string { return m.File.Module.Mod.Path }

// Siblings returns the requirements on other modules of the project, as a
// map from module path to version.
func (m Module) Siblings() map[string]string {
	siblings := map[string]string{}
	for _, r := range m.File.Require {
		if strings.HasPrefix(r.Mod.Path, Prefix) {
			siblings[r.Mod.Path] = r.Mod.Version
		}
	}
	return siblings
}

// Find opens the workspace that dir lies in.
func Find(dir string) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.work"))
		if err == nil {
			return Open(dir)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, ErrNoWorkspace
		}
		dir = parent
	}
}

// Open reads the workspace whose go.work lies in root.
func Open(root string) (*Workspace, error) {
	name := filepath.Join(root, "go.work")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return nil, err
	}
	w := &Workspace{Root: root, Work: work}
	for _, use := range work.Use {
		m, err := openModule(root, filepath.ToSlash(filepath.Clean(use.Path)))
		if err != nil {
			return nil, err
		}
		w.Modules = append(w.Modules, m)
	}
	return w, nil
}

func openModule(root, name string) (Module, error) {
	dir := filepath.Join(root, filepath.FromSlash(name))
	file := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(file)
	if err != nil {
		return Module{}, fmt.Errorf("go.work names %s: %w", name, err)
	}
	parsed, err := modfile.Parse(file, data, nil)
	if err != nil {
		return Module{}, err
	}
	if parsed.Module == nil {
		return Module{}, fmt.Errorf("%s: no module line", file)
	}
	return Module{Name: name, Dir: dir, File: parsed}, nil
}

// Env makes the go command use this workspace, whatever the environment says.
func (w *Workspace) Env() []string { return []string{"GOWORK=" + filepath.Join(w.Root, "go.work")} }

// Module returns the module with the path, or false.
func (w *Workspace) Module(path string) (Module, bool) {
	i := slices.IndexFunc(w.Modules, func(m Module) bool { return m.Path() == path })
	if i < 0 {
		return Module{}, false
	}
	return w.Modules[i], true
}

// Unreleased reports whether go.work still meets the module's version from
// the tree, which it does until that version is tagged.
func (w *Workspace) Unreleased(path, version string) bool {
	return slices.ContainsFunc(w.Work.Replace, func(r *modfile.Replace) bool {
		return r.Old.Path == path && r.Old.Version == version
	})
}

// SumsUnreleased reports whether a line of a go.sum is about a sibling's
// version that is not tagged yet.
func (w *Workspace) SumsUnreleased(line string) bool {
	fields := strings.Fields(line)
	return len(fields) == 3 && w.Unreleased(fields[0], strings.TrimSuffix(fields[1], "/go.mod"))
}
