// Command check runs everything that a change has to pass, from any directory
// of a checkout:
//
//	go run ./tools/cmd/check
//
// It is made of legs (see -list). A leg that lacks something here, say a C
// compiler, is skipped and the output says how to get what is missing. A leg
// named with -require, or in the environment variable DSH_REQUIRE, fails
// instead of being skipped, so that a green run of a CI job means what the
// job's name says.
//
// The last line is `N passed, N failed, N skipped`, counting legs. The exit
// status is 0 when nothing failed, 1 when something did, 2 for a usage error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/dsh-go/dsh/tools/internal/workspace"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// requireVariable names legs as -require does. Tests read it too, for the
// backends that they must not skip.
const requireVariable = "DSH_REQUIRE"

type options struct {
	run, require         []string
	list, install, quick bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	legs := allLegs()
	opts, err := parse(args, os.Getenv(requireVariable), legs, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "check:", err)
		return 2
	}
	if opts.list {
		list(stdout, legs)
		return 0
	}
	tree, err := workspace.Find(".")
	if err != nil {
		fmt.Fprintln(stderr, "check:", err)
		return 2
	}
	s := newSession(tree, opts, stdout)
	results := s.runLegs(ctx, legs)
	if summarize(stdout, results) {
		return 0
	}
	return 1
}

// parse reads the command line and DSH_REQUIRE. Its errors are the caller's
// mistakes.
func parse(args []string, require string, legs []leg, stderr io.Writer) (options, error) {
	var opts options
	var runNames, requireNames string
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&runNames, "run", "", "run only these `legs`, separated by commas")
	flags.StringVar(&requireNames, "require", "", "fail when one of these `legs` could not run; added to $"+requireVariable)
	flags.BoolVar(&opts.quick, "quick", false, "the inner loop: only the legs "+strings.Join(quickLegs, " and "))
	flags.BoolVar(&opts.install, "install", false, "install what a leg lacks with apt-get (as root, on Debian and its kin)")
	flags.BoolVar(&opts.list, "list", false, "list the legs and stop")
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	if flags.NArg() > 0 {
		return opts, fmt.Errorf("unexpected argument %q; legs are picked with -run", flags.Arg(0))
	}
	opts.run = names(runNames)
	opts.require = names(requireNames + "," + require)
	if opts.quick {
		opts.run = append(opts.run, quickLegs...)
	}
	return opts, known(slices.Concat(opts.run, opts.require), legs)
}

// names splits a list at its commas; blanks are nothing.
func names(list string) []string {
	var all []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, name)
		}
	}
	return all
}

func known(picked []string, legs []leg) error {
	var all []string
	for _, l := range legs {
		all = append(all, l.name)
	}
	for _, name := range picked {
		if !slices.Contains(all, name) {
			return fmt.Errorf("no leg is called %q; there are %s", name, strings.Join(all, ", "))
		}
	}
	return nil
}

func list(w io.Writer, legs []leg) {
	for _, l := range legs {
		fmt.Fprintf(w, "%-10s %s\n", l.name, l.about)
		for _, n := range l.needs {
			fmt.Fprintf(w, "%-10s   needs %s; %s\n", "", n.what, n.get)
		}
	}
}
