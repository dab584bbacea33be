// Command rehearse releases the modules of the checkout to nobody and consumes
// each one alone, as a stranger would:
//
//	go run ./tools/cmd/rehearse                    # all of the working tree
//	go run ./tools/cmd/rehearse -commit HEAD       # exactly that commit
//	go run ./tools/cmd/rehearse bash sandbox@v0.2.0  # two modules, one at another version
//	go run ./tools/cmd/rehearse -tidy              # go mod tidy for every module
//
// Nothing is published, and the checkout is not touched but for -tidy, which
// rewrites go.mod and go.sum. The exit status is 0 when all is well, 1 when
// something failed, 2 for a usage error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/dsh-go/dsh/tools/internal/deps"
	"github.com/dsh-go/dsh/tools/internal/rehearsal"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("rehearse", flag.ContinueOnError)
	flags.SetOutput(stderr)
	commit := flags.String("commit", "", "rehearse this `revision`; without it, the working tree")
	tidy := flags.Bool("tidy", false, "run go mod tidy on the modules of the working tree, and nothing else")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	config, err := configure(*commit, flags.Args())
	if err != nil {
		fmt.Fprintln(stderr, "rehearse:", err)
		return 2
	}
	config.Report = func(s rehearsal.Step) { report(stdout, s) }
	rehearse := rehearsal.Run
	if *tidy {
		rehearse = rehearsal.Tidy
	}
	if err := rehearse(ctx, config); err != nil {
		fmt.Fprintln(stderr, "rehearse:", err)
		return 1
	}
	return 0
}

// configure finds the checkout and reads the modules that were asked for.
func configure(commit string, modules []string) (rehearsal.Config, error) {
	tree, err := workspace.Find(".")
	if err != nil {
		return rehearsal.Config{}, err
	}
	allowed, err := deps.Allowed()
	if err != nil {
		return rehearsal.Config{}, err
	}
	c := rehearsal.Config{Root: tree.Root, Revision: commit, Allowed: allowed, Versions: map[string]string{}}
	for _, arg := range modules {
		name, version, asked := strings.Cut(strings.TrimSuffix(arg, "/"), "@")
		if _, ok := tree.Module(workspace.Prefix + name); !ok {
			return c, fmt.Errorf("%q is no module of the checkout", name)
		}
		c.Only = append(c.Only, name)
		if asked {
			c.Versions[name] = version
		}
	}
	return c, nil
}

func report(w io.Writer, s rehearsal.Step) {
	status := "ok"
	if s.Err != nil {
		status = "FAIL"
	}
	line := fmt.Sprintf("%-5s %-17s %6.1fs  %s", status, s.Name, s.Took.Seconds(), s.Fact)
	fmt.Fprintln(w, strings.TrimRight(line, " "))
	if s.Err != nil {
		fmt.Fprintln(w, "      "+strings.ReplaceAll(s.Err.Error(), "\n", "\n      "))
	}
}
