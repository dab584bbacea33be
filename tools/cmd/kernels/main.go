// Command kernels proves what the sandbox claims on real kernels of other
// versions and architectures. It fetches them and a few programs from a Debian
// mirror through apt, boots each in QEMU, has the truth table of every runner
// measured inside, as root and as an ordinary user, runs the tests there, and
// prints one table:
//
//	go run ./tools/cmd/kernels            # everything; a quarter of an hour
//	go run ./tools/cmd/kernels -short     # the tables, and a smoke test; minutes
//	go run ./tools/cmd/kernels -only 6.1  # the kernels of that name
//
// What it fetches stays in the user's cache directory, and a second run does
// not need the network; -refresh fetches again. It needs qemu-system-x86 and
// qemu-system-arm, and apt-get and dpkg-deb; no privileges, and it installs
// nothing.
//
// The exit status is 0 when every kernel reported its last line and every claim
// held, and then the last line says so; 1 when not, 2 for a usage error.
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
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opts, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	if err := prove(ctx, opts, stdout); err != nil {
		fmt.Fprintln(stderr, "kernels:", err)
		return 1
	}
	return 0
}

type options struct {
	short, refresh, times bool
	mirror, table         string
	kernels               []kernel
}

func parse(args []string, stderr io.Writer) (options, error) {
	opts := options{kernels: kernels}
	flags := flag.NewFlagSet("kernels", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&opts.short, "short", false, "have every effect in one way alone, and run a smoke test instead of all tests")
	flags.BoolVar(&opts.refresh, "refresh", false, "fetch kernels and programs again")
	flags.BoolVar(&opts.times, "times", false, "print how long each job took, and the boot")
	flags.StringVar(&opts.mirror, "mirror", "", "fetch from this Debian mirror; without it, from the one of this machine's apt")
	flags.StringVar(&opts.table, "table", "", "write the versions and the table to a `file` when all is green; takes a full run")
	flags.Func("only", "try the kernels of this `name`, or the one of NAME/ARCH", func(name string) error {
		opts.kernels = slices.DeleteFunc(slices.Clone(kernels), func(k kernel) bool { return k.name != name && k.String() != name })
		if len(opts.kernels) == 0 {
			return fmt.Errorf("there are %v", kernels)
		}
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	var err error
	switch {
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case opts.table != "" && (opts.short || len(opts.kernels) < len(kernels)):
		err = errPartTable
	}
	if err != nil {
		fmt.Fprintln(stderr, "kernels:", err)
	}
	return opts, err
}

// errPartTable guards the documents' table from a part of one.
var errPartTable = errors.New("-table takes a full run, without -short and -only")
