package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/cli"
)

const doctorLong = `doctor tries each runner of this system for real: a write that must succeed and a
write that must be denied, under each mode, in a directory of its own that it
removes again. It says which runners are usable, how completely they enforce the
modes, and what to do about those that are not.

It exits 1 when nothing here can confine a command.`

const doctorExample = `  dsh doctor
  dsh doctor --json | jq '.runners[] | select(.usable) | .runner'`

// doctorTimeout bounds the examination of one runner.
const doctorTimeout = 10 * time.Second

// errNothingConfines ends the program with status 1.
var errNothingConfines = errors.New("nothing on this machine can confine a command")

func newDoctor(std cli.Streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Say what can confine commands here, and how completely",
		Long:    doctorLong,
		Example: doctorExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return doctor(cmd.Context(), std.Out, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// diagnosis is what doctor found. Its JSON form is printed by --json.
type diagnosis struct {
	Runners  []examination `json:"runners"`
	Selected *string       `json:"selected"` // what dsh run uses; null if nothing is usable
}

// examination is what doctor found about one runner.
type examination struct {
	Runner string         `json:"runner"`
	Usable bool           `json:"usable"`
	Reason *string        `json:"reason"` // why it is not usable
	Remedy *string        `json:"remedy"` // what to do about it
	Modes  []modeFindings `json:"modes"`
}

// modeFindings is how one runner enforces one mode.
type modeFindings struct {
	Mode        sandbox.Mode        `json:"mode"`
	Enforcement sandbox.Enforcement `json:"enforcement"`
	Gaps        []gapObject         `json:"gaps"`
}

func doctor(ctx context.Context, out io.Writer, asJSON bool) error {
	var found diagnosis
	for _, runner := range systemRunners {
		found.Runners = append(found.Runners, examine(ctx, runner))
	}
	for _, e := range found.Runners {
		if e.Usable && found.Selected == nil {
			found.Selected = &e.Runner
		}
	}
	if err := found.print(out, asJSON); err != nil {
		return err
	}
	if found.Selected == nil {
		return &cli.ExitError{Status: 1, Err: errNothingConfines}
	}
	return nil
}

func (d diagnosis) print(out io.Writer, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(d)
	}
	for _, e := range d.Runners {
		e.print(out)
	}
	if d.Selected != nil {
		fmt.Fprintf(out, "\ndsh run uses %s.\n", *d.Selected)
	}
	return nil
}

func (e examination) print(out io.Writer) {
	if !e.Usable {
		fmt.Fprintf(out, "%s: not usable: %s\n", e.Runner, *e.Reason)
		fmt.Fprintf(out, "  to do: %s\n", *e.Remedy)
		return
	}
	fmt.Fprintf(out, "%s: usable\n", e.Runner)
	for _, m := range e.Modes {
		fmt.Fprintf(out, "  %-16s %s\n", m.Mode, m.Enforcement)
		for _, line := range gapLines(m.Gaps) {
			fmt.Fprintf(out, "    not governed %s\n", line)
		}
	}
}

// gapLines puts the gaps that have their place and reason in common on one
// line.
func gapLines(gaps []gapObject) []string {
	type kind struct{ place, reason string }
	effects := make(map[kind][]string)
	var kinds []kind
	for _, gap := range gaps {
		k := kind{string(gap.Place), gap.Reason}
		if effects[k] == nil {
			kinds = append(kinds, k)
		}
		effects[k] = append(effects[k], string(gap.Effect))
	}
	var lines []string
	for _, k := range kinds {
		lines = append(lines, fmt.Sprintf("(%s): %s; %s", k.place, strings.Join(effects[k], ", "), k.reason))
	}
	return lines
}
