package main

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/dsh-go/dsh/tools/cmd/kernels/internal/guestjob"
)

// Time limits of single jobs, on a slow host that does other things, too.
const (
	measureLimit = 8 * time.Minute
	testLimit    = 15 * time.Minute
)

var users = []guestjob.User{guestjob.Root, guestjob.Ordinary}

// jobs returns what runs on a kernel, in the short form or in full. The short
// form has every effect in one way, and runs few of the tests.
func jobs(k kernel, short bool) []guestjob.Job {
	var all []guestjob.Job
	for _, user := range users {
		all = append(all, measureJob(user, 0, short))
		for _, abi := range k.masked {
			all = append(all, measureJob(user, abi, short, maskable...))
		}
		all = append(all, testJobs(k, user, short)...)
		if k.without {
			all = append(all, refusalJob(user))
		}
	}
	return all
}

// maskable are the runners to which the ABI matters.
var maskable = []string{"landlock", "landlock-run"}

// measureJob measures the runners, or those named.
func measureJob(user guestjob.User, abi int, short bool, runners ...string) guestjob.Job {
	argv := []string{guestjob.GuestPath, "measure"}
	if short {
		argv = append(argv, "-"+guestjob.OneAttempt)
	}
	return guestjob.Job{
		Name: measureName(user, abi),
		Argv: append(argv, runners...),
		User: user, ABI: abi, LastLine: guestjob.MeasuredLine, Timeout: measureLimit,
	}
}

func measureName(user guestjob.User, abi int) string {
	if abi == 0 {
		return fmt.Sprintf("truth table as %s", user)
	}
	return fmt.Sprintf("truth table as %s, masked as ABI %d", user, abi)
}

// refusalJob runs where neither the kernel nor the system confines.
func refusalJob(user guestjob.User) guestjob.Job {
	return guestjob.Job{
		Name: fmt.Sprintf("nothing usable as %s", user),
		Argv: []string{guestjob.GuestPath, "nothing-usable"},
		User: user, Without: []string{"/usr/bin/bwrap"}, LastLine: guestjob.RefusedLine, Timeout: measureLimit,
	}
}

// suite is a test binary with what of it is run.
type suite struct {
	binary, pattern string
	args            []string
}

// Smoke is the launcher's contract, and of bash-sandbox a few cases under every
// runner: a command runs, is denied, and is blamed for its own words. The full run
// has all tests but those for which the measurement stands, those that start
// over as another user, those of what an unconfined executor does as well, and
// the many overlapping calls, which take minutes.
var (
	smoke = []suite{
		{"launcher", ".", nil},
		{"bashsandbox", "^TestConfiningConformance$/./(a_write_outside|the_workspace|a_runner's_words)", nil},
	}
	everything = []suite{
		{"launcher", ".", nil},
		{"bashsandbox", ".", []string{"-test.skip=^(TestConformance|TestTheTableIsWhatIsTested)$|^TestConfiningConformance$/./overlapping"}},
		{"sandboxlocal", "^TestE2E", []string{"-test.skip=Conformance|AsOrdinaryUser"}},
	}
)

func testJobs(k kernel, user guestjob.User, short bool) []guestjob.Job {
	suites := everything
	if short {
		suites = smoke
	}
	required := []string{"bwrap"}
	if k.abi > 0 {
		required = append(required, "landlock")
	}
	var all []guestjob.Job
	for _, s := range suites {
		argv := []string{path.Join(guestjob.TestsDir, s.binary), "-test.run=" + s.pattern, "-test.timeout=" + testLimit.String()}
		all = append(all, guestjob.Job{
			Name: fmt.Sprintf("%s as %s", s.binary, user),
			Argv: append(argv, s.args...),
			Env:  []string{"DSH_REQUIRE=" + strings.Join(required, ",")},
			User: user, LastLine: "PASS", Timeout: testLimit + time.Minute,
		})
	}
	return all
}
