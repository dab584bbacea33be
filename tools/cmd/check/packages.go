package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// testPackage is a package that has tests.
type testPackage struct {
	path, dir string
	// deps are the import paths that its test binary is made of.
	deps []string
}

// reaches reports whether the tests are built from a package of the module.
// A package that is built with its tests is listed as `path [path.test]`.
func (p testPackage) reaches(module string) bool {
	path := workspace.Prefix + module
	return slices.ContainsFunc(p.deps, func(dep string) bool {
		dep, _, _ = strings.Cut(dep, " ")
		return dep == path || strings.HasPrefix(dep, path+"/")
	})
}

// testPackages lists the packages with tests of all modules. A package that
// does not load is left to the legs that build everything.
func (s *session) testPackages(ctx context.Context) ([]testPackage, error) {
	out, err := s.here().Go(ctx, "list", "-e", "-test", "-json=ImportPath,Dir,Deps", "work")
	if err != nil {
		return nil, err
	}
	var packages []testPackage
	decoder := json.NewDecoder(strings.NewReader(out))
	for {
		var p struct {
			ImportPath, Dir string
			Deps            []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		// The test binary of a package is listed as a package of its own.
		if path, ok := strings.CutSuffix(p.ImportPath, ".test"); ok {
			packages = append(packages, testPackage{path, p.Dir, p.Deps})
		}
	}
}
