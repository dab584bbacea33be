package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/dsh-go/dsh/tools/internal/gotool"
)

var cCompiler = need{
	what: "cgo and a C compiler", get: "apt-get install gcc libc6-dev, or xcode-select --install",
	missing: missingCompiler, packages: []string{"gcc", "libc6-dev"},
}

var bwrap = need{
	what: "a bwrap that works here", get: "apt-get install bubblewrap; user namespaces must be allowed",
	missing: missingBwrap, packages: []string{"bubblewrap"},
}

var landlock = need{
	what: "Landlock", get: "a Linux kernel from 5.13 on, with landlock in the list lsm= of its command line",
	missing: func(context.Context) error { return missingLandlock() },
}

var seatbelt = need{
	what: "Seatbelt", get: "macOS, in a program that is not itself sandboxed",
	missing: func(context.Context) error {
		_, err := os.Stat("/usr/bin/sandbox-exec")
		return err
	},
}

var git = need{
	what: "git", get: "apt-get install git", packages: []string{"git"},
	missing: func(context.Context) error {
		_, err := exec.LookPath("git")
		return err
	},
}

// oldestNode is the oldest one with which the clients were tried.
const oldestNode = "v18.20.0"

var node = need{
	what: "node from " + oldestNode + " on", get: "apt-get install nodejs, or a newer one from nodejs.org", packages: []string{"nodejs"},
	missing: missingNode,
}

var npm = need{
	what: "npm", get: "apt-get install npm, unless it came with node", packages: []string{"npm"},
	missing: func(context.Context) error {
		_, err := exec.LookPath("npm")
		return err
	},
}

var errCgoOff = errors.New("CGO_ENABLED is 0 although there is a compiler")

// missingCompiler looks for the compiler first: without one, the go command
// switches cgo off by itself.
func missingCompiler(ctx context.Context) error {
	env, err := gotool.Env(ctx, "CC", "CGO_ENABLED")
	if err != nil {
		return err
	}
	if _, err := exec.LookPath(strings.Fields(env["CC"] + " cc")[0]); err != nil {
		return err
	}
	if env["CGO_ENABLED"] != "1" {
		return errCgoOff
	}
	return nil
}

// missingBwrap tries a sandbox, since a container or a kernel setting often
// forbids what the installed program needs. The ordinary user for whom the
// leg runs the tests, too, must be able to.
func missingBwrap(ctx context.Context) error {
	if _, err := exec.LookPath("bwrap"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	trial := []string{"bwrap", "--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "true"}
	if _, err := (gotool.Cmd{}).Run(ctx, trial...); err != nil {
		return err
	}
	if !canBecomeOrdinary() {
		return nil
	}
	_, err := gotool.Cmd{Dir: "/", Prepare: becomeOrdinary}.Run(ctx, trial...)
	if err != nil {
		return fmt.Errorf("as an ordinary user: %w", err)
	}
	return nil
}

var (
	errNodeVersion = errors.New("it does not tell its version")
	errOldNode     = errors.New("it is too old")
)

func missingNode(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := gotool.Cmd{}.Run(ctx, "node", "--version")
	if err != nil {
		return err
	}
	return tooOld(strings.TrimSpace(out))
}

// tooOld judges what node says of its version.
func tooOld(version string) error {
	switch {
	case !semver.IsValid(version):
		return fmt.Errorf("%w: %q", errNodeVersion, version)
	case semver.Compare(version, oldestNode) < 0:
		return fmt.Errorf("%w: %s", errOldNode, version)
	default:
		return nil
	}
}
