// Command bench measures what running a command costs, with and without
// confinement, and prints one table:
//
//	go run ./tools/cmd/bench                 # everything; minutes, on a calm machine
//	go run ./tools/cmd/bench -quick          # seconds, and rough
//	go run ./tools/cmd/bench -only starts    # one group of rows
//	go run ./tools/cmd/bench -peer 'firejail=firejail --quiet --noprofile --'
//
// What is compared is run in turn and in random order, so that a busy machine
// slows all of it. The figures of a shared machine are its own; the ratios
// travel. docs/performance.md says what each row means.
//
// The exit status is 0 when everything was measured, whether or not the
// targets were met, 1 when something failed, 2 for a usage error.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/benchtable"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opts, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	report, err := measure(ctx, opts, stderr)
	if err == nil {
		err = report.write(stdout, opts.json)
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

type options struct {
	json  bool
	scale scale
	only  string
	bin   string
	peers []peerProgram
}

func parse(args []string, stderr io.Writer) (options, error) {
	opts := options{scale: full}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&opts.json, "json", false, "print one JSON object instead of the table")
	quick := flags.Bool("quick", false, "measure little: for a first look, not for a page")
	flags.StringVar(&opts.bin, "bin", "", "take dsh and landlock-run from a `directory` instead of building them")
	flags.Func("only", "measure one `group` of rows: "+strings.Join(groupNames(), ", "), func(name string) error {
		opts.only = name
		return knownGroup(name)
	})
	flags.Func("peer", "compare with another program: `NAME=COMMAND`, words separated by spaces,\n"+
		"to which bash and its arguments are appended", func(text string) error {
		peer, err := parsePeer(text)
		opts.peers = append(opts.peers, peer)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	if flags.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q", flags.Arg(0))
		fmt.Fprintln(stderr, "bench:", err)
		return opts, err
	}
	if *quick {
		opts.scale = quickScale
	}
	return opts, nil
}

// report is all that a run of bench found out.
type report struct {
	Machine machine          `json:"machine"`
	Quick   bool             `json:"quick"`
	Rounds  int              `json:"rounds"`
	Runs    int              `json:"runsPerRound"`
	Rows    benchtable.Table `json:"rows"`
	Unmet   []string         `json:"unmet"`
}

func (r report) write(w io.Writer, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(r)
	}
	label := ""
	if r.Quick {
		label = " QUICK: rough figures, good for a first look only."
	}
	fmt.Fprintf(w, "%s\n\nStarts: the median of %d rounds of %d runs each.%s\n\n", r.Machine, r.Rounds, r.Runs, label)
	return r.Rows.WriteMarkdown(w)
}
