package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	"github.com/dsh-go/dsh/tools/internal/cli"
	"github.com/dsh-go/dsh/tools/internal/compose"
)

const doctorLong = `doctor tries each runner of this system for real: a write that must succeed and a
write that must be denied, under each mode, in a directory of its own that it
removes again. It says which runners are usable, how completely they enforce the
modes, and what to do about those that are not.

If a configuration file names runners, those are tried, with its settings.

It exits 1 when nothing here can confine a command.`

const doctorExample = `  # What confines commands here, and what to do about what does not
  dsh doctor

  # A program picks the usable runners
  dsh doctor --json | jq -r '.runners[] | select(.usable) | .runner'

  # What was tried, step by step
  dsh doctor --verbose`

// doctorTimeout bounds the examination of one runner.
const doctorTimeout = 10 * time.Second

// errNothingConfines ends the program with status 1.
var errNothingConfines = errors.New("nothing on this machine can confine a command")

type doctorFlags struct {
	cli.Source
	json bool
}

func newDoctor(std cli.Streams) *cobra.Command {
	var flags doctorFlags
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Say what can confine commands here, and how completely",
		Long:    doctorLong,
		Example: doctorExample,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return doctor(cmd.Context(), flags, std)
		},
	}
	flags.Register(cmd)
	cmd.Flags().BoolVar(&flags.json, "json", false, "print one JSON object")
	return cmd
}

// diagnosis is what doctor found. Its JSON form is printed by --json.
type diagnosis struct {
	Runners    []examination `json:"runners"`
	Selected   *string       `json:"selected"`   // what dsh run uses; null if nothing is usable
	Unconfined *string       `json:"unconfined"` // the line of the file because of which dsh run uses nothing
	Remedy     *string       `json:"remedy"`     // what to do where there is no runner at all
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

func doctor(ctx context.Context, flags doctorFlags, std cli.Streams) error {
	c, err := flags.Load()
	if err != nil {
		return err
	}
	c.Sandbox.Logger = flags.Logger(std)
	found := thisHost.diagnose(ctx, c)
	if err := found.print(std.Out, flags.json); err != nil {
		return err
	}
	if found.Selected == nil {
		return &cli.ExitError{Status: 1, Err: errNothingConfines}
	}
	return nil
}

// host is what is known of an operating system beforehand.
type host struct {
	system   string
	runners  []string                 // in the order of selection
	remedies map[string]func() string // by runner
}

var thisHost = host{runtime.GOOS, systemRunners, remedies}

func (h host) diagnose(ctx context.Context, c compose.Composition) diagnosis {
	found := diagnosis{Runners: []examination{}, Unconfined: orNull(unconfinedBy(c))}
	for _, runner := range h.candidates(c.Sandbox) {
		found.Runners = append(found.Runners, h.advise(examine(ctx, runner, c.Sandbox)))
	}
	if len(found.Runners) == 0 {
		remedy := cli.CheckSystem(h.system).Error()
		found.Remedy = &remedy
	}
	for _, e := range found.Runners {
		if e.Usable && found.Selected == nil {
			found.Selected = &e.Runner
		}
	}
	return found
}

// candidates are the runners that a provider with this configuration tries.
func (h host) candidates(config sandboxlocal.Config) []string {
	switch {
	case len(config.Runners) > 0:
		return config.Runners
	case len(config.RunnerCommand) > 0:
		return []string{sandboxlocal.Custom}
	default:
		return h.runners
	}
}

// advise adds what to do about a runner that is not usable.
func (h host) advise(e examination) examination {
	if !e.Usable {
		remedy := h.remedy(e.Runner)
		e.Remedy = &remedy
	}
	return e
}

func (h host) remedy(runner string) string {
	if filepath.IsAbs(runner) {
		return "see that " + runner + " is a bubblewrap that can be run, and that user namespaces are allowed"
	}
	switch remedy, known := h.remedies[runner]; {
	case known:
		return remedy()
	case runner == sandboxlocal.Custom:
		return "see that runner-command takes the arguments of bwrap and does what they say"
	default:
		return "take it out of the configuration's runners: it is none of " + h.system
	}
}

// unconfinedBy returns the line of the file because of which commands are not
// confined, or "".
func unconfinedBy(c compose.Composition) string {
	if c.Mode().Confines() {
		return ""
	}
	return c.Where("policy", "mode")
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
	switch {
	case d.Remedy != nil:
		fmt.Fprintln(out, *d.Remedy)
	case d.Unconfined != nil:
		fmt.Fprintf(out, "\ndsh run uses none: %s says danger-full-access.\n", *d.Unconfined)
	case d.Selected != nil:
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
