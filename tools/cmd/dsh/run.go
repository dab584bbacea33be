package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/dsh-go/dsh/bash"
	bashlocal "github.com/dsh-go/dsh/bash-local"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
	"github.com/dsh-go/dsh/tools/internal/cli"
	"github.com/dsh-go/dsh/tools/internal/compose"
)

const runLong = `run runs one bash command under a file sandbox and exits as the command did.

Output is passed on as it comes. Standard input is passed to the command when it
is not a terminal. There is no timeout unless --timeout asks for one.

Exit status: the command's own; 128+n if signal n ended it; 124 after a timeout;
130, 143 or 129 after dsh itself got SIGINT, SIGTERM or SIGHUP; and 125 when dsh
failed, with one line that says why: nothing ran then. The first signal ends the
command politely, the second at once.

After a denial it says what to do next. See dsh config --help for the file that
sets other defaults than those below.`

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
	timed   func() bool // whether --timeout was given
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
	flags.timed = func() bool { return cmd.Flags().Changed("timeout") }
	cmd.Flags().DurationVarP(&flags.timeout, "timeout", "t", 0, "end the command after this `DURATION` (30s, 5m); 0 means never")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print one JSON object instead of the command's output")
	return cmd
}

// runCommand runs one command and reports on it. Whatever way it returns, no
// process that it started is left.
func runCommand(flags runFlags, std cli.Streams, command string) error {
	parts, procs, err := flags.prepare(std)
	if err != nil {
		return flags.refuse(std, err)
	}
	end := cli.WatchSignals(procs)
	defer end.Stop()

	report := newReporter(flags, std, end)
	executor, err := parts.Executor(procs)
	if err != nil {
		return report.conclude(bash.Result{}, err)
	}
	result, err := bash.Run(end.Ctx, executor, bash.Request{
		Command: command,
		Workdir: flags.Directory(parts.Policies.Default()),
		Stdin:   standardInput(std),
		Observe: report.observe,
	})
	if closeErr := procs.Close(end.Ctx); closeErr != nil {
		fmt.Fprintln(std.Err, cli.OneLine(closeErr)) // the command's outcome stands
	}
	return report.conclude(result, err)
}

// prepare makes the parts up to what starts processes.
func (f runFlags) prepare(std cli.Streams) (*cli.Parts, *subprocesslocal.Service, error) {
	if f.timeout < 0 {
		return nil, nil, &cli.FlagError{Flag: "timeout", Err: fmt.Errorf("%v is negative", f.timeout)}
	}
	parts, err := f.Parts(std)
	if err != nil {
		return nil, nil, err
	}
	f.fit(&parts.Composition)
	procs, err := parts.Processes()
	return parts, procs, err
}

// refuse returns err, which --json has also told to the program that reads it.
func (f runFlags) refuse(std cli.Streams, err error) error {
	if f.json {
		_ = printJSON(std.Out, newErrorObject(err))
	}
	return err
}

// fit has the parts suit a program that runs one command and ends.
func (f runFlags) fit(c *compose.Composition) {
	f.fitTimeout(&c.Shell)
	if f.json {
		c.Processes.KeepSpills = true // a path that is printed must stay
		return
	}
	// What was passed on need not be kept.
	c.Shell.MaxBytes, c.Shell.SpillBytes = 1, -1
}

// fitTimeout has none but the one that a flag or the file asks for, where the
// shell has a default.
func (f runFlags) fitTimeout(shell *bashlocal.Config) {
	switch {
	case f.timeout > 0:
		shell.Timeout = f.timeout
	case f.timed(), shell.Timeout == 0:
		shell.Timeout = -1
	}
	if f.timed() || shell.MaxTimeout == 0 {
		shell.MaxTimeout = -1
	}
}

// standardInput is what the command reads. A terminal is not passed on: the
// command leads a session that has none.
func standardInput(std cli.Streams) io.Reader {
	if term.IsTerminal(int(std.In.Fd())) {
		return nil
	}
	return std.In
}
