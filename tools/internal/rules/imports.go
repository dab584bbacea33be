package rules

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// listed is what `go list` says of a package.
type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// imports applies the import rules to what `go list` finds for each operating
// system, since a platform file has imports of its own.
func imports(ctx context.Context, tree *workspace.Workspace) ([]Violation, error) {
	var all []Violation
	for _, system := range []string{"linux", "darwin", "windows"} {
		packages, err := list(ctx, tree, system)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			all = append(all, arrows(p, p.Imports, false)...)
			all = append(all, arrows(p, slices.Concat(p.TestImports, p.XTestImports), true)...)
		}
	}
	slices.SortFunc(all, func(a, b Violation) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(all), nil
}

func list(ctx context.Context, tree *workspace.Workspace, system string) ([]listed, error) {
	cmd := gotool.Cmd{Dir: tree.Root, Env: append(tree.Env(), "GOOS="+system, "CGO_ENABLED=0")}
	out, err := cmd.Go(ctx, "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "work")
	if err != nil {
		return nil, err
	}
	var packages []listed
	decoder := json.NewDecoder(strings.NewReader(out))
	for {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

// arrows finds the imports that point where no arrow may point.
func arrows(p listed, imported []string, test bool) []Violation {
	from, ok := moduleOf(p.ImportPath)
	if !ok {
		return nil
	}
	what := "imports"
	if test {
		what = "tests import"
	}
	var all []Violation
	for _, path := range imported {
		to, ok := moduleOf(path)
		if !ok || to == from {
			continue
		}
		if why := forbidden(from, to, test); why != "" {
			all = append(all, violation(strings.TrimPrefix(p.ImportPath, workspace.Prefix), "%s %s: %s", what, path, why))
		}
	}
	return all
}

// moduleOf returns the directory of the project's module that a package
// belongs to. All of them lie directly under the root.
func moduleOf(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, workspace.Prefix)
	name, _, _ := strings.Cut(rest, "/")
	return name, ok
}

// forbidden says why no package of one module may import the other, or "".
func forbidden(from, to string, test bool) string {
	switch {
	case to == programs:
		return "nothing imports the programs"
	case from == programs:
		return ""
	case from == sandboxSeam:
		return "the confinement seam imports the standard library alone"
	case from == bashSeam && to != sandboxSeam:
		return "the executor seam imports sandbox and the standard library alone"
	case isSeam(to), test, from == "bash-sandbox" && to == "bash-local":
		return ""
	}
	return "an implementation never imports an implementation"
}
