package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
	"github.com/dsh-go/dsh/sandbox/sandboxtest"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
	"github.com/dsh-go/dsh/tools/cmd/kernels/internal/guestjob"
)

// way is one way to confine.
type way struct {
	name   string
	config sandboxlocal.Config
}

var ways = []way{
	{"bwrap", sandboxlocal.Config{Runners: []string{sandboxlocal.Bwrap}}},
	{"landlock", sandboxlocal.Config{Runners: []string{sandboxlocal.Landlock}}},
	{"landlock-run", sandboxlocal.Config{Runners: []string{sandboxlocal.Landlock}, LandlockLauncher: landlockrun.Self}},
}

var modes = []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite}

// measure fills the truth table of every way, or of those named, and prints a
// row per mode.
func measure(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	oneAttempt := flags.Bool(guestjob.OneAttempt, false, "have every effect in one way alone")
	if err := flags.Parse(args); err != nil {
		return err
	}
	names := flags.Args()
	procs := &subprocesslocal.Service{}
	options := sandboxtest.Options{Modes: modes, OneAttempt: *oneAttempt, Host: procs.Host(), Start: starter(procs)}
	rows := json.NewEncoder(out)
	for _, w := range ways {
		if len(names) > 0 && !slices.Contains(names, w.name) {
			continue
		}
		measured, err := w.measure(ctx, options)
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", w.name, err), procs.Close(ctx))
		}
		for _, row := range measured {
			if err := rows.Encode(row); err != nil {
				return err
			}
		}
	}
	if err := procs.Close(ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, guestjob.MeasuredLine)
	return err
}

// measure returns one row per mode.
func (w way) measure(ctx context.Context, options sandboxtest.Options) ([]guestjob.Row, error) {
	provider, err := sandboxlocal.New(w.config)
	if err != nil {
		return nil, err
	}
	if err := usable(ctx, provider, options.Host); errors.Is(err, sandbox.ErrUnavailable) {
		return w.unusable(err), nil
	}
	recorder := &recorder{Provider: provider, reports: map[sandbox.Mode]sandbox.Report{}}
	table, err := sandboxtest.Measure(ctx, recorder, options)
	if err != nil {
		return nil, err
	}
	var rows []guestjob.Row
	for _, mode := range modes {
		rows = append(rows, w.row(mode, recorder.reports[mode], table))
	}
	return rows, nil
}

// usable asks before the suite does, which would first make every attempt
// without a sandbox.
func usable(ctx context.Context, provider sandbox.Provider, host sandbox.Host) error {
	_, err := provider.Confine(ctx, sandbox.Request{
		Argv: []string{"/bin/true"}, Dir: "/var/tmp", Host: host,
		Policy: sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: "/var/tmp"},
	})
	return err
}

func (w way) unusable(err error) []guestjob.Row {
	reason := err.Error()
	if known := new(sandbox.UnavailableError); errors.As(err, &known) && len(known.Reasons) > 0 {
		reason = known.Reasons[0].Reason
	}
	var rows []guestjob.Row
	for _, mode := range modes {
		rows = append(rows, guestjob.Row{User: user(), Runner: w.name, Mode: mode, Unusable: reason})
	}
	return rows
}

func (w way) row(mode sandbox.Mode, report sandbox.Report, table *sandboxtest.Table) guestjob.Row {
	row := guestjob.Row{
		User: user(), Runner: w.name, Mode: mode, Enforcement: report.Enforcement, Gaps: report.Gaps,
		Cells: map[sandboxtest.Verdict]int{},
	}
	for _, cell := range table.Cells {
		if cell.Mode == mode {
			row.Cells[cell.Verdict]++
		}
	}
	for _, violation := range table.Violations {
		if violation.Mode == mode {
			row.Violations = append(row.Violations, violation)
		}
	}
	return row
}

func user() guestjob.User {
	if os.Geteuid() == 0 {
		return guestjob.Root
	}
	return guestjob.Ordinary
}

// recorder keeps what a provider reports. The suite asks it for one
// confinement at a time.
type recorder struct {
	sandbox.Provider
	reports map[sandbox.Mode]sandbox.Report
}

func (r *recorder) Confine(ctx context.Context, req sandbox.Request) (*sandbox.Confinement, error) {
	c, err := r.Provider.Confine(ctx, req)
	if err == nil {
		r.reports[req.Policy.Mode] = c.Report
	}
	return c, err
}

// maxOutput is more than a probe prints.
const maxOutput = 16 << 20

// starter starts the suite's confinements as dsh starts commands.
func starter(procs subprocess.Service) func(context.Context, sandboxtest.Launch) (sandboxtest.Ended, error) {
	return func(ctx context.Context, l sandboxtest.Launch) (sandboxtest.Ended, error) {
		collect := subprocess.Output{MaxBytes: maxOutput}
		spec := subprocess.Spec{
			Argv: l.Argv, Dir: l.Dir, Env: l.Env, Unset: l.Unset,
			Stdout: collect, Stderr: collect, Inputs: l.Inputs, Status: l.Status,
		}
		if l.OnThread != nil {
			spec.Argv, spec.Restrict = l.OnThread.Argv, l.OnThread.Restrict
		}
		handle, err := procs.Start(ctx, spec)
		if err != nil {
			return sandboxtest.Ended{}, fmt.Errorf("%w: %w", sandboxtest.ErrNotStarted, err)
		}
		outcome, err := handle.Outcome()
		return sandboxtest.Ended{
			ExitCode: outcome.ExitCode,
			Stdout:   handle.Stdout().ReadFrom(0).Text,
			Stderr:   handle.Stderr().ReadFrom(0).Text,
			Status:   handle.StatusReport(),
		}, err
	}
}
