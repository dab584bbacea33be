package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/dsh-go/dsh/bash"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
	"github.com/dsh-go/dsh/tools/internal/cli"
)

const runLong = `run runs one bash command under a file sandbox and exits as the command did.

Output is passed on as it comes. Standard input is passed to the command when it
is not a terminal. There is no timeout unless --timeout asks for one.

Exit status: the command's own; 128+n if signal n ended it; 124 after a timeout;
130, 143 or 129 after dsh itself got SIGINT, SIGTERM or SIGHUP; and 125 when dsh
failed, with one line that says why: nothing ran then. The first signal ends the
command politely, the second at once.`

const runExample = `  # Nothing can be changed
  dsh run -- 'echo hello; touch ~/nope'

  # Writing is possible beneath a directory and in /tmp
  dsh run --mode workspace-write --workspace ~/src/project -- 'make test'

  # A program reads the outcome
  dsh run --json --timeout 30s -- 'go vet ./...' | jq .exitCode

  # Standard input is the command's
  tar c . | dsh run -- 'tar t | wc -l'`

type runFlags struct {
	cli.Confinement
	timeout time.Duration
	json    bool
}

func newRun(std cli.Streams) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:     "run [flags] -- COMMAND",
		Short:   "Run a command under a file sandbox",
		Long:    runLong,
		Example: runExample,
		Args:    oneCommand,
		RunE: func(_ *cobra.Command, args []string) error {
			return runCommand(flags, std, args[0])
		},
	}
	flags.Register(cmd)
	flags.RegisterWorkdir(cmd)
	cmd.Flags().DurationVarP(&flags.timeout, "timeout", "t", 0, "end the command after this `DURATION` (30s, 5m); 0 means never")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print one JSON object instead of the command's output")
	return cmd
}

// runCommand runs one command and reports on it. Whatever way it returns, no
// process that it started is left.
func runCommand(flags runFlags, std cli.Streams, command string) error {
	if flags.timeout < 0 {
		return fmt.Errorf("--timeout: %v is negative", flags.timeout)
	}
	policies, err := flags.Policies()
	if err != nil {
		return err
	}
	logger := flags.Logger(std)
	procs, err := subprocesslocal.New(subprocesslocal.Config{
		KeepSpills: flags.json, // a path that is printed must stay
		Subreaper:  policies.Default().Mode.Confines(),
		Logger:     logger,
	})
	if err != nil {
		return err
	}
	end := cli.WatchSignals(procs)
	defer end.Stop()

	report := newReporter(flags, std, end)
	config := report.config()
	config.Logger = logger
	executor, err := flags.Executor(config, procs, policies)
	if err != nil {
		return report.conclude(bash.Result{}, err)
	}
	result, err := bash.Run(end.Ctx, executor, bash.Request{
		Command: command,
		Workdir: flags.Directory(policies.Default()),
		Timeout: requestTimeout(flags.timeout),
		Stdin:   standardInput(std),
		Observe: report.observe,
	})
	if closeErr := procs.Close(end.Ctx); closeErr != nil {
		fmt.Fprintln(std.Err, cli.OneLine(closeErr)) // the command's outcome stands
	}
	return report.conclude(result, err)
}

// requestTimeout returns what a request calls the timeout asked for: a request
// has a default where dsh has none.
func requestTimeout(asked time.Duration) time.Duration {
	if asked == 0 {
		return -1
	}
	return asked
}

// standardInput is what the command reads. A terminal is not passed on: the
// command leads a session that has none.
func standardInput(std cli.Streams) io.Reader {
	if term.IsTerminal(int(std.In.Fd())) {
		return nil
	}
	return std.In
}
