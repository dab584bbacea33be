// Package clients has clients from the npm registry, that nobody here wrote,
// drive the built dsh. What they do is in tools/clients: one test file for each
// scenario, for node's own test runner.
//
// The packages are installed at the versions, and with the content, that
// package-lock.json names, and none of their scripts is run. Everything happens
// in a temporary directory outside the checkout.
package clients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/testrun"
)

// Config is a run of the tests.
type Config struct {
	// Root is the root of the checkout, and Env what programs get there in
	// addition to this process's environment.
	Root string
	Env  []string
	// Require names the runners that must be usable.
	Require []string
}

// timeLimit bounds each step: the build, the installation, the tests.
const timeLimit = 5 * time.Minute

// suffix is that of a file with tests.
const suffix = ".test.mjs"

// Run runs the tests. If some failed the error is their output. It also fails
// when a test file ran none, and when the tests left something behind.
func Run(ctx context.Context, config Config) (*testrun.Results, error) {
	results := &testrun.Results{}
	at, err := newPlace()
	if err != nil {
		return results, err
	}
	err = at.prepare(ctx, config)
	if err == nil {
		results, err = at.test(ctx, config.Require)
	}
	return results, errors.Join(err, at.remove())
}

// prepare builds dsh and installs the clients.
func (p place) prepare(ctx context.Context, config Config) error {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	here := gotool.Cmd{Dir: config.Root, Env: append(slices.Clone(config.Env), "CGO_ENABLED=0")}
	if _, err := here.Go(ctx, "build", "-o", p.program(), "./tools/cmd/dsh"); err != nil {
		return err
	}
	if err := os.CopyFS(p.sources(), os.DirFS(filepath.Join(config.Root, "tools", "clients"))); err != nil {
		return err
	}
	// Under the user's own settings of npm, and from what npm has kept of
	// earlier runs as far as it has.
	_, err := gotool.Cmd{Dir: p.sources()}.Run(ctx, "npm", "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund")
	return err
}

// test runs all test files.
func (p place) test(ctx context.Context, require []string) (*testrun.Results, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	files, err := filepath.Glob(filepath.Join(p.sources(), "*"+suffix))
	if err != nil {
		return &testrun.Results{}, err
	}
	there := gotool.Cmd{Dir: p.sources(), Env: append(p.env(), "DSH_REQUIRE="+strings.Join(require, ","))}
	args := []string{"node", "--test", "--test-reporter=./support/reporter.mjs", "--test-reporter-destination=stdout"}
	results, err := testrun.Program(ctx, there, append(args, files...)...)
	if err == nil {
		err = eachRan(results, files)
	}
	return results, err
}

// The reasons why a run in which nothing failed is none.
var (
	errNoFiles = errors.New("there are no files with tests of clients")
	errNoTest  = errors.New("no test passed")
)

// eachRan reports the files of which no test passed.
func eachRan(results *testrun.Results, files []string) error {
	if len(files) == 0 {
		return errNoFiles
	}
	ran := map[string]bool{}
	for _, t := range results.Tests(testrun.Pass) {
		ran[t.Package] = true
	}
	var errs []error
	for _, file := range files {
		if name := filepath.Base(file); !ran[strings.TrimSuffix(name, suffix)] {
			errs = append(errs, fmt.Errorf("%s: %w", name, errNoTest))
		}
	}
	return errors.Join(errs...)
}
