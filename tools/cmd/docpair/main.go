// Command docpair checks that every document has an English and a Chinese text
// that mirror each other, and that somebody has confirmed that they say the
// same:
//
//	go run ./tools/cmd/docpair                      # check every document
//	go run ./tools/cmd/docpair --list               # show the state of each
//	go run ./tools/cmd/docpair --write PAIR…        # confirm these
//
// A PAIR is the name of any of a document's files, relative to the current
// directory, or what those names begin with. Confirming is a statement about
// what the two texts mean, so there is no way to confirm all of them at once.
//
// The exit status is 0 when all is well, 1 when something is not, 2 for a
// usage error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh/tools/internal/docpair"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("docpair", flag.ContinueOnError)
	flags.SetOutput(stderr)
	write := flags.Bool("write", false, "confirm that the two texts of each PAIR say the same")
	list := flags.Bool("list", false, "show the state of every document")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if *write != (flags.NArg() > 0) || *write && *list {
		fmt.Fprintln(stderr, "docpair: usage: docpair [--list | --write PAIR…]")
		return 2
	}
	tree, err := open()
	if err != nil {
		fmt.Fprintln(stderr, "docpair:", err)
		return 2
	}
	act := check
	switch {
	case *write:
		act = func(tree docpair.Tree, w io.Writer) (bool, error) { return confirm(tree, w, flags.Args()) }
	case *list:
		act = show
	}
	well, err := act(tree, stdout)
	if err != nil {
		fmt.Fprintln(stderr, "docpair:", err)
	}
	if err != nil || !well {
		return 1
	}
	return 0
}

func open() (docpair.Tree, error) {
	checkout, err := workspace.Find(".")
	if err != nil {
		return docpair.Tree{}, err
	}
	return docpair.Open(checkout.Root)
}

func check(tree docpair.Tree, w io.Writer) (bool, error) {
	pairs, problems, err := tree.Check()
	for _, p := range problems {
		fmt.Fprintln(w, p)
	}
	fmt.Fprintf(w, "%d documents, %d problems\n", len(pairs), len(problems))
	return err == nil && len(problems) == 0, err
}

// show is not a check: it only fails when it cannot look.
func show(tree docpair.Tree, w io.Writer) (bool, error) {
	pairs, _, err := tree.Pairs()
	for _, p := range pairs {
		problems, err := tree.CheckPair(p)
		if err != nil {
			return false, err
		}
		state := "confirmed"
		if len(problems) > 0 {
			state = problems[0].String()
		}
		if more := len(problems) - 1; more > 0 {
			state += fmt.Sprintf(" (and %d more)", more)
		}
		fmt.Fprintf(w, "%-32s %s\n", p, state)
	}
	return true, err
}

func confirm(tree docpair.Tree, w io.Writer, names []string) (bool, error) {
	var errs []error
	for _, name := range names {
		p, err := pair(tree, name)
		if err == nil {
			err = tree.Write(p)
		}
		if err == nil {
			fmt.Fprintln(w, "confirmed", p)
		}
		errs = append(errs, err)
	}
	return true, errors.Join(errs...)
}

// pair reads a name as the user typed it, relative to where they are.
func pair(tree docpair.Tree, name string) (docpair.Pair, error) {
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(tree.Root, absolute)
	if err != nil {
		return "", err
	}
	return docpair.PairOf(relative), nil
}
