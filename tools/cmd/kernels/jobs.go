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
// form tries every effect once per runner and mode: as root, for whom most of
// them can be tried. The ordinary user is about bwrap, which takes another way
// for it, through a user namespace.
func jobs(k kernel, short bool) []guestjob.Job {
	var all []guestjob.Job
	for _, user := range users {
		if short {
			all = append(all, measureJob(user, 0, shortRunners[user]...))
		} else {
			all = append(all, measureJob(user, 0))
		}
		all = append(all, maskedJobs(k, user, short)...)
		all = append(all, testJobs(k, user, short)...)
		if k.without {
			all = append(all, refusalJob(user))
		}
	}
	return all
}

var shortRunners = map[guestjob.User][]string{
	guestjob.Root:     {"bwrap", "landlock"},
	guestjob.Ordinary: {"bwrap"},
}

// maskedJobs are about Landlock alone.
func maskedJobs(k kernel, user guestjob.User, short bool) []guestjob.Job {
	runners := []string{"landlock", "landlock-run"}
	if short {
		runners = runners[:1]
	}
	if short && user != guestjob.Root {
		return nil
	}
	var all []guestjob.Job
	for _, abi := range k.masked {
		all = append(all, measureJob(user, abi, runners...))
	}
	return all
}

// measureJob measures the runners, or those named.
func measureJob(user guestjob.User, abi int, runners ...string) guestjob.Job {
	return guestjob.Job{
		Name: measureName(user, abi),
		Argv: append([]string{guestjob.GuestPath, "measure"}, runners...),
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
// over as another user, and those of what an unconfined executor does as well.
var (
	smoke = []suite{
		{"launcher", ".", nil},
		{"bashsandbox", "^TestConfiningConformance$/./(a_write_outside|the_workspace|a_runner's_words)", nil},
	}
	everything = []suite{
		{"launcher", ".", nil},
		{"bashsandbox", ".", []string{"-test.skip=^(TestConformance|TestTheTableIsWhatIsTested)$"}},
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
		argv := []string{path.Join(guestjob.TestsDir, s.binary), "-test.v", "-test.run=" + s.pattern, "-test.timeout=" + testLimit.String()}
		all = append(all, guestjob.Job{
			Name: fmt.Sprintf("%s as %s", s.binary, user),
			Argv: append(argv, s.args...),
			Env:  []string{"DSH_REQUIRE=" + strings.Join(required, ",")},
			User: user, LastLine: "PASS", Timeout: testLimit + time.Minute,
		})
	}
	return all
}
