// Command guest is the only program of ours that an emulated machine needs. It
// is the machine's first process: it sets the file system up, runs the jobs
// that the host asks for, reports each, and switches the machine off. It is
// also the measurement that most jobs are: the truth table of every runner.
//
// cmd/kernels builds it and puts it into the machine; it is of no use
// elsewhere.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
	"github.com/dsh-go/dsh/sandbox/sandboxtest"
)

// errNotAGuest guards the machine on which somebody starts this by mistake.
var errNotAGuest = errors.New("guest: this is the first process of an emulated machine, or nothing")

func main() {
	sandboxtest.ServeProbe()
	if len(os.Args) > 1 && os.Args[1] == landlockrun.SelfArg {
		os.Exit(landlockrun.Main(os.Args[2:]))
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run does what the first argument says. Without a known one this must be the
// first process, to which the kernel passes on words of its command line.
func run(args []string) error {
	command := ""
	if len(args) > 0 {
		command = args[0]
	}
	switch command {
	case "measure":
		return measure(context.Background(), os.Stdout, args[1:])
	case "nothing-usable":
		return nothingUsable(context.Background(), os.Stdout)
	case jobsArg:
		return runJobs()
	default:
		return first()
	}
}

// jobsArg has the process run the jobs.
const jobsArg = "jobs"
