package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/testrun"
)

// backends are the legs that stand for a sandbox backend. While such a leg
// can run, tests find its name in DSH_REQUIRE and must not skip for want of
// the backend.
var backends = []string{"bwrap", "landlock", "seatbelt"}

// backendLeg checks that the tests over one backend really ran, as the
// current user and, where this process can become one, as an ordinary user.
//
// A test says which backend it is over in its own or its subtest's name, and
// when it skips for want of one it says so in the words of [lacks].
func backendLeg(backend string) func(context.Context, *session) (string, error) {
	return func(ctx context.Context, s *session) (string, error) {
		runs := []testRun{s.plain(ctx)}
		users := []string{"the current user"}
		if canBecomeOrdinary() {
			runs, users = append(runs, s.ordinary(ctx)), append(users, "an ordinary user")
		}
		var facts []string
		var errs []error
		for i, run := range runs {
			ran, err := evidence(run, backend)
			facts = append(facts, fmt.Sprintf("%d tests as %s", ran, users[i]))
			if err != nil {
				errs = append(errs, fmt.Errorf("as %s: %w", users[i], err))
			}
		}
		return strings.Join(facts, ", "), errors.Join(errs...)
	}
}

// lacks recognises the output of a test that was skipped for want of the
// backend: "bwrap is not usable here: …", "needs landlock".
func lacks(output, backend string) bool {
	pattern := `(?i)\bneeds %[1]s\b|\b%[1]s is (not usable|unusable|not available|unavailable)\b`
	return regexp.MustCompile(fmt.Sprintf(pattern, regexp.QuoteMeta(backend))).MatchString(output)
}

var errNothingRan = errors.New("no test with the backend in its name passed")

// evidence counts the tests over the backend that passed. It fails when the
// run did, when no such test passed, and when one was skipped for want of the
// backend.
func evidence(run testRun, backend string) (ran int, err error) {
	for _, t := range run.results.Tests(testrun.Pass) {
		if strings.Contains(strings.ToLower(t.Name), backend) {
			ran++
		}
	}
	for _, t := range run.results.Tests(testrun.Skip) {
		if lacks(t.Output, backend) {
			return ran, fmt.Errorf("%s %s was skipped although %s is required:\n%s", t.Package, t.Name, backend, t.Output)
		}
	}
	if run.err == nil && ran == 0 {
		return 0, errNothingRan
	}
	return ran, run.err
}
