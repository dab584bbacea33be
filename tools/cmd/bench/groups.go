package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dsh-go/dsh/tools/internal/benchtable"
)

// scale is how much is measured.
type scale struct {
	quick      bool
	starts     benchtable.Plan
	bulk       benchtable.Plan // whole gigabytes
	calls      benchtable.Plan // what takes microseconds
	bytes      int64           // that one command prints
	spillBytes int64           // that go to disk
	processes  int             // in the background
	grace      time.Duration
}

var full = scale{
	starts:     benchtable.Plan{Rounds: 5, Runs: 200},
	bulk:       benchtable.Plan{Rounds: 1, Runs: 15},
	calls:      benchtable.Plan{Rounds: 5, Runs: 200},
	bytes:      2 << 30,
	spillBytes: 256 << 20,
	processes:  1000,
	grace:      time.Second,
}

var quickScale = scale{
	quick:      true,
	starts:     benchtable.Plan{Rounds: 1, Runs: 50},
	bulk:       benchtable.Plan{Rounds: 1, Runs: 3},
	calls:      benchtable.Plan{Rounds: 1, Runs: 50},
	bytes:      128 << 20,
	spillBytes: 32 << 20,
	processes:  100,
	grace:      200 * time.Millisecond,
}

// group is a part of the table that is measured by itself.
type group struct {
	name string
	rows func(context.Context, *scene) (benchtable.Table, error)
}

// groups are in the order of the table. The background comes last: its floor
// leaves a thread for every process behind, which the runtime keeps.
var groups = []group{
	{"starts", startRows},
	{"confine", confineRows},
	{"output", outputRows},
	{"polling", pollingRows},
	{"background", backgroundRows},
}

func groupNames() []string {
	var names []string
	for _, g := range groups {
		names = append(names, g.name)
	}
	return names
}

var errNoGroup = errors.New("no such group")

func knownGroup(name string) error {
	if !slices.Contains(groupNames(), name) {
		return errNoGroup
	}
	return nil
}

// measure sets the scene and measures the groups that were asked for.
func measure(ctx context.Context, opts options, progress io.Writer) (report, error) {
	s, err := newScene(ctx, opts)
	if err != nil {
		return report{}, err
	}
	rows, err := measureGroups(ctx, s, opts.only, progress)
	return report{
		Machine: thisMachine(ctx, s.shell),
		Quick:   opts.scale.quick,
		Rounds:  opts.scale.starts.Rounds,
		Runs:    opts.scale.starts.Runs,
		Rows:    rows,
		Unmet:   rows.Unmet(),
	}, errors.Join(err, s.close())
}

func measureGroups(ctx context.Context, s *scene, only string, progress io.Writer) (benchtable.Table, error) {
	var all benchtable.Table
	for _, g := range groups {
		if only != "" && only != g.name {
			continue
		}
		began := time.Now()
		rows, err := g.rows(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.name, err)
		}
		all = append(all, rows...)
		fmt.Fprintf(progress, "measured %s in %.0f s\n", g.name, time.Since(began).Seconds())
	}
	return all, nil
}
