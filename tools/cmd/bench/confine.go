package main

import (
	"context"
	"time"

	"github.com/dsh-go/dsh/tools/internal/benchtable"
)

// batch is how many calls are timed at once where one is too short.
const batch = 100

// confineTargets are for Confine alone, by runner.
var confineTargets = map[string]time.Duration{
	"landlock": 15 * time.Microsecond,
	"bwrap":    30 * time.Microsecond,
}

// confineRows are about Confine alone: deciding what to start, without
// starting it.
func confineRows(ctx context.Context, s *scene) (benchtable.Table, error) {
	var cases []benchtable.Case
	targets := map[string]time.Duration{}
	for _, w := range ways {
		c, err := s.confine(w)
		if err != nil {
			return nil, err
		}
		if c.prove(ctx, s) != nil {
			continue // its start is shown as skipped, with the reason
		}
		alone, err := c.confineCase(s)
		if err != nil {
			return nil, err
		}
		cases = append(cases, alone)
		if !w.launcher {
			targets[alone.Name] = confineTargets[w.runner]
		}
	}
	return timeCalls(ctx, s, cases, targets)
}

func (c *confined) confineCase(s *scene) (benchtable.Case, error) {
	request, err := c.request(s, s.procs.Host())
	return benchtable.Case{Name: "Confine, " + c.name, Times: batch, Run: func(ctx context.Context) error {
		for range batch {
			if _, err := c.provider.Confine(ctx, request); err != nil {
				return err
			}
		}
		return nil
	}}, err
}

// timeCalls are the rows of calls that are too short to compare with anything.
func timeCalls(ctx context.Context, s *scene, cases []benchtable.Case, targets map[string]time.Duration) (benchtable.Table, error) {
	timings, err := s.scale.calls.Time(ctx, cases)
	if err != nil {
		return nil, err
	}
	var rows benchtable.Table
	for _, c := range cases {
		row := benchtable.Row{Name: c.Name}
		row.SetRound(timings.Median(c.Name))
		if limit := targets[c.Name]; limit > 0 {
			row.Targets = append(row.Targets, benchtable.AtMost(row.Value, benchtable.Duration(limit), ""))
		}
		allocations, err := c.Allocate(ctx, s.scale.calls.Runs)
		if err != nil {
			return nil, err
		}
		row.Allocations = &allocations
		rows = append(rows, row)
	}
	return rows, nil
}
