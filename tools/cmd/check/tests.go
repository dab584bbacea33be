package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/testrun"
)

// testRun is what a run of the tests has shown; err is set when it failed.
type testRun struct {
	results *testrun.Results
	err     error
}

// once makes the run with the name, unless it was made before.
func (s *session) once(name string, run func() (*testrun.Results, error)) testRun {
	if r, ok := s.runs[name]; ok {
		return r
	}
	results, err := run()
	s.runs[name] = testRun{results, err}
	return s.runs[name]
}

// oneByOne runs the tests of one package at a time. Some mount on this machine,
// and bwrap fails when a mount vanishes while it goes through them.
const oneByOne = "-p=1"

// goTest runs packages' tests in the workspace.
func (s *session) goTest(ctx context.Context, args ...string) (*testrun.Results, error) {
	return testrun.Go(ctx, s.here(s.testEnv()...), args...)
}

// testEnv makes tests fail rather than skip for want of a backend that is
// there.
func (s *session) testEnv() []string {
	var usable []string
	for _, name := range backends {
		if unmet, picked := s.unmet[name]; picked && unmet == "" {
			usable = append(usable, name)
		}
	}
	return []string{requireVariable + "=" + strings.Join(usable, ",")}
}

// plain runs the tests as the current user; those of the backends only, when
// nobody asked for the rest. The inner loop may use what the go command
// remembers of earlier runs.
func (s *session) plain(ctx context.Context) testRun {
	return s.once("plain", func() (*testrun.Results, error) {
		if s.opts.quick {
			return s.goTest(ctx, "-short", "work")
		}
		if s.picked("unit") {
			return s.goTest(ctx, oneByOne, "-count=1", "work")
		}
		packages, err := s.testPackages(ctx)
		if err != nil {
			return &testrun.Results{}, err
		}
		args := []string{oneByOne, "-count=1"}
		for _, p := range packages {
			if p.reaches("sandbox-local") {
				args = append(args, p.path)
			}
		}
		return s.goTest(ctx, args...)
	})
}

func unit(ctx context.Context, s *session) (string, error) {
	run := s.plain(ctx)
	return counts(run.results), run.err
}

// race runs the tests in their short form: what is long is long because it
// waits for processes, of which the race detector sees nothing.
func race(ctx context.Context, s *session) (string, error) {
	run := s.once("race", func() (*testrun.Results, error) { return s.goTest(ctx, "-race", "-short", "-count=1", "work") })
	return counts(run.results), run.err
}

func counts(r *testrun.Results) string {
	return fmt.Sprintf("%d tests passed, %d failed, %d skipped",
		len(r.Tests(testrun.Pass)), len(r.Tests(testrun.Fail)), len(r.Tests(testrun.Skip)))
}
