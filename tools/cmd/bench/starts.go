package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/benchtable"
)

// nothing is the command whose only cost is to start and to end.
const nothing = "true"

const bareName = "bare os/exec"

// start is a row about starting a command and learning how it ended.
type start struct {
	benchtable.Case
	floors  []floor
	within  time.Duration // target for what it takes beyond the bare command; 0: none
	inside  bool          // its work is done in this program, so its allocations tell something
	skipped string        // why it cannot be measured
}

// floor is a row to compare with, and the target for the ratio; 0: none.
type floor struct {
	to    string
	limit float64
}

func startRows(ctx context.Context, s *scene) (benchtable.Table, error) {
	starts, err := s.starts(ctx)
	if err != nil {
		return nil, err
	}
	var cases []benchtable.Case
	for _, st := range starts {
		if st.skipped == "" {
			cases = append(cases, st.Case)
		}
	}
	timings, err := s.scale.starts.Time(ctx, cases)
	if err != nil {
		return nil, err
	}
	var rows benchtable.Table
	for _, st := range starts {
		row, err := st.row(ctx, timings, s.scale.starts.Runs)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *scene) starts(ctx context.Context) ([]start, error) {
	toBare := []floor{{to: bareName}}
	all := []start{
		{Case: s.bareCase(bareName, s.argv(nothing)), inside: true},
		{Case: executorCase("bash-local", s.local), floors: []floor{{bareName, 1.10}}, inside: true},
	}
	for _, w := range ways {
		confined, err := s.confinedStarts(ctx, w)
		if err != nil {
			return nil, err
		}
		all = append(all, confined...)
	}
	for _, w := range ways {
		if w.mode == sandbox.ReadOnly && !w.launcher {
			argv := []string{s.tools.dsh, "run", "--runner", w.runner, "--workspace", s.workspace, "--", nothing}
			run := start{Case: s.bareCase("dsh run --runner "+w.runner, argv), floors: toBare}
			if w.toBare > 0 {
				run.within = 5 * time.Millisecond
			}
			all = append(all, run)
		}
	}
	for _, p := range s.peers {
		argv := append(append([]string{}, p.argv...), s.argv(nothing)...)
		all = append(all, start{Case: s.bareCase(p.name, argv), floors: toBare})
	}
	return all, nil
}

// confinedStarts are the rows of one way to confine: through bash-sandbox, and
// the runner alone.
func (s *scene) confinedStarts(ctx context.Context, w way) ([]start, error) {
	c, err := s.confine(w)
	if err != nil {
		return nil, err
	}
	ours := start{Case: c.start(), floors: []floor{{bareName, w.toBare}}, inside: true}
	if err := c.prove(ctx, s); errors.Is(err, sandbox.ErrUnavailable) {
		ours.skipped = err.Error()
		return []start{ours}, nil
	} else if err != nil {
		return nil, err
	}
	if w.raw == "" {
		return []start{ours}, nil
	}
	alone, err := c.rawStart(ctx, s)
	if err != nil {
		return nil, err
	}
	ours.floors = append(ours.floors, floor{w.raw, w.toRaw})
	return []start{{Case: alone, floors: []floor{{to: bareName}}}, ours}, nil
}

var errFailed = errors.New("the command did not run as it should")

func executorCase(name string, executor bash.Executor) benchtable.Case {
	return benchtable.Case{Name: name, Run: func(ctx context.Context) error {
		result, err := bash.Run(ctx, executor, bash.Request{Command: nothing})
		if err == nil && result.ExitCode != 0 {
			err = fmt.Errorf("%w: %+v", errFailed, result)
		}
		return err
	}}
}

// row is the row of a start that was timed, or skipped.
func (st start) row(ctx context.Context, timings benchtable.Timings, runs int) (benchtable.Row, error) {
	row := benchtable.Row{Name: st.Name, Skipped: st.skipped}
	if st.skipped != "" {
		return row, nil
	}
	row.SetRound(timings.Median(st.Name))
	for i, f := range st.floors {
		round, same := timings.Against(st.Name, f.to)
		if i == 0 {
			row.SetRound(round)
			st.addWithin(&row, round, same)
		}
		row.Compare(f.to, round, same, f.limit)
	}
	if !st.inside {
		return row, nil
	}
	allocations, err := st.Allocate(ctx, runs)
	row.Allocations = &allocations
	return row, err
}

func (st start) addWithin(row *benchtable.Row, round, same benchtable.Round) {
	if st.within > 0 {
		beyond := benchtable.Duration(round.Median - same.Median)
		of := fmt.Sprintf("beyond %s (%s)", bareName, beyond)
		row.Targets = append(row.Targets, benchtable.AtMost(beyond, benchtable.Duration(st.within), of))
	}
}
