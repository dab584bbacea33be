package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/testrun"
	"github.com/dsh-go/dsh/tools/internal/workspace"
	"golang.org/x/mod/modfile"
)

// consumer is a stranger's module that uses one module of the project.
type consumer struct {
	*rehearsal
	dir     string
	module  workspace.Module
	version string
}

// consume tries one module from end to end: is it tidy, can it be got, built
// and vetted in a program of somebody else's, and do its tests pass where `go
// get` has put it?
func (r *rehearsal) consume(ctx context.Context, m workspace.Module) (string, error) {
	c := &consumer{r, filepath.Join(r.dir, "consumer", m.Name), m, r.plan.consumed[m.Name].Version}
	before, after, tidyErr := r.tidy(ctx, m)
	if tidyErr == nil {
		tidyErr = untidy(m.Name, before, after.published(r.tree))
	}
	packages, err := c.use(ctx)
	if err != nil {
		return "", errors.Join(tidyErr, err)
	}
	before.sum = after.sum
	results, err := c.ownTests(ctx, before)
	fact := fmt.Sprintf("%s: %d packages, %d tests", c.version, len(packages), len(results.Tests(testrun.Pass)))
	return fact, errors.Join(tidyErr, err)
}

var errNoPackages = errors.New("no packages: the module has no Go file")

// use gets the module and builds everything in it, and a program over what
// can be imported.
func (c *consumer) use(ctx context.Context) (packages []string, err error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, err
	}
	if err := c.goAll(ctx, []string{"mod", "init", "example.com/consumer"}, []string{"get", c.module.Path() + "@" + c.version}); err != nil {
		return nil, err
	}
	everything := c.module.Path() + "/..."
	listed, err := c.in(c.dir).Go(ctx, "list", "-e", "-f", "{{.ImportPath}} {{.Name}}", everything)
	if err != nil {
		return nil, err
	}
	if packages = lines(listed); len(packages) == 0 {
		return nil, errNoPackages
	}
	if imported := importable(packages); len(imported) > 0 {
		err = c.program(ctx, imported)
	} else {
		err = c.goAll(ctx, []string{"get", everything + "@" + c.version})
	}
	if err == nil {
		err = c.goAll(ctx, []string{"build", "-o", os.DevNull, everything})
	}
	return packages, errors.Join(err, c.undeclared())
}

// goAll runs the go command in the consumer's directory until it fails.
func (c *consumer) goAll(ctx context.Context, commands ...[]string) error {
	for _, args := range commands {
		if _, err := c.in(c.dir).Go(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// importable picks the packages that are neither programs nor internal, from
// lines of path and name.
func importable(packages []string) []string {
	var paths []string
	for _, line := range packages {
		path, name, _ := strings.Cut(line, " ")
		if name != "main" && !slices.Contains(strings.Split(path, "/"), "internal") {
			paths = append(paths, path)
		}
	}
	return paths
}

// program writes a program that imports the packages, and tidies, builds and
// vets it.
func (c *consumer) program(ctx context.Context, imported []string) error {
	var source strings.Builder
	source.WriteString("package main\n\n")
	for _, path := range imported {
		fmt.Fprintf(&source, "import _ %q\n", path)
	}
	source.WriteString("\nfunc main() {}\n")
	if err := os.WriteFile(filepath.Join(c.dir, "main.go"), []byte(source.String()), 0o644); err != nil {
		return err
	}
	return c.goAll(ctx, []string{"mod", "tidy"}, []string{"build", "-o", os.DevNull, "."}, []string{"vet", "."})
}

// UndeclaredError is a module that a consumer's `go mod tidy` had to add,
// because what imports it does not require it.
type UndeclaredError struct{ Module, Dependency string }

// Error names both.
func (e *UndeclaredError) Error() string {
	return fmt.Sprintf("%s imports from %s without requiring it", e.Module, e.Dependency)
}

// undeclared compares the program's requirements with the module's own.
func (c *consumer) undeclared() error {
	data, err := os.ReadFile(filepath.Join(c.dir, "go.mod"))
	if err != nil {
		return err
	}
	program, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return err
	}
	declared := map[string]bool{c.module.Path(): true}
	for _, r := range c.module.File.Require {
		declared[r.Mod.Path] = true
	}
	var errs []error
	for _, r := range program.Require {
		if !declared[r.Mod.Path] {
			errs = append(errs, &UndeclaredError{c.module.Name, r.Mod.Path})
		}
	}
	return errors.Join(errs...)
}

// ownTests vets the module and runs its tests in the module cache, where
// there is nothing but the module, and with the requirements that it was
// published with. The published go.sum lacks its unreleased siblings; the
// given one has them.
func (c *consumer) ownTests(ctx context.Context, files tidied) (*testrun.Results, error) {
	dir := filepath.Join(c.rehearsal.dir, "modfile", c.module.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &testrun.Results{}, err
	}
	if err := files.write(dir); err != nil {
		return &testrun.Results{}, err
	}
	modfile := "-modfile=" + filepath.Join(dir, "go.mod")
	there := c.in(c.cached(c.module.Path(), c.version))
	if _, err := there.Go(ctx, "vet", modfile, "./..."); err != nil {
		return &testrun.Results{}, err
	}
	return testrun.Go(ctx, there, modfile, "-count=1", "-short", "./...")
}
