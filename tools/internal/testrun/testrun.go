// Package testrun reads what `go test -json` prints, so that a caller knows
// which tests really ran instead of trusting an exit status.
package testrun

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Outcome is how a test ended. A test that never ended (its binary crashed or
// was killed) counts as failed.
type Outcome string

// The outcomes.
const (
	Pass Outcome = "pass"
	Fail Outcome = "fail"
	Skip Outcome = "skip"
)

// Test is one test or subtest; or a whole package, when Name is "".
type Test struct {
	Package string
	Name    string
	Outcome Outcome
	// Output is what it printed, without its subtests' output.
	Output string
}

// Results is everything that one run reported, in the order of its start.
type Results struct {
	tests []*Test
	byKey map[[2]string]*Test
	// builds is the compiler's output by the import path that failed.
	builds map[string]*strings.Builder
	order  []string
}

// event is a line of test2json or of the build, as `go doc test2json` and
// `go help buildjson` describe them.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
}

// Read reads a stream of events to its end. Several streams may be read into
// the same Results one after the other.
func (r *Results) Read(stream io.Reader) error {
	decoder := json.NewDecoder(stream)
	for {
		var e event
		err := decoder.Decode(&e)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("test events: %w", err)
		}
		r.add(e)
	}
}

func (r *Results) add(e event) {
	switch e.Action {
	case "build-output":
		r.build(e.ImportPath).WriteString(e.Output)
	case "build-fail":
		r.build(e.ImportPath)
	case "start", "run":
		r.test(e)
	case "output":
		r.test(e).Output += e.Output
	case "pass", "fail", "skip":
		r.test(e).Outcome = Outcome(e.Action)
	}
}

func (r *Results) build(path string) *strings.Builder {
	if r.builds == nil {
		r.builds = map[string]*strings.Builder{}
	}
	if r.builds[path] == nil {
		r.builds[path] = &strings.Builder{}
		r.order = append(r.order, path)
	}
	return r.builds[path]
}

func (r *Results) test(e event) *Test {
	key := [2]string{e.Package, e.Test}
	if t := r.byKey[key]; t != nil {
		return t
	}
	if r.byKey == nil {
		r.byKey = map[[2]string]*Test{}
	}
	t := &Test{Package: e.Package, Name: e.Test, Outcome: Fail}
	r.byKey[key] = t
	r.tests = append(r.tests, t)
	return t
}

// Tests returns the tests and subtests that ended so, not the packages.
func (r *Results) Tests(o Outcome) []*Test {
	var tests []*Test
	for _, t := range r.tests {
		if t.Name != "" && t.Outcome == o {
			tests = append(tests, t)
		}
	}
	return tests
}

// Failures describes everything that failed for a person: what did not
// compile, the failed tests with their output, and packages that failed
// outside any test. It is "" when nothing failed.
func (r *Results) Failures() string {
	var b strings.Builder
	for _, path := range r.order {
		fmt.Fprintf(&b, "%s does not build:\n%s", path, r.builds[path])
	}
	failedTests := map[string]bool{}
	for _, t := range r.Tests(Fail) {
		failedTests[t.Package] = true
		fmt.Fprintf(&b, "%s %s:\n%s", t.Package, t.Name, t.Output)
	}
	for _, t := range r.tests {
		if t.Name == "" && t.Outcome == Fail && !failedTests[t.Package] {
			fmt.Fprintf(&b, "%s:\n%s", t.Package, t.Output)
		}
	}
	return b.String()
}
