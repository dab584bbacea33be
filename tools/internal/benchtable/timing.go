// Package benchtable times things side by side and lays the figures out in one
// table.
//
// A figure by itself says more about the machine and its mood than about what
// was timed. So cases are run in turn, in a new random order each time, and a
// case is judged by its ratio to another one of the same round.
package benchtable

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// Case is one thing to be timed.
type Case struct {
	// Name tells the case from the others of the same plan.
	Name string
	// Run does it.
	Run func(context.Context) error
	// Times is how often one Run does it, for what is too short for a clock.
	// Zero means once.
	Times int
	// After, if set, cleans up after each Run. It is not timed.
	After func() error
}

// Plan says how often cases are run.
type Plan struct {
	Rounds int
	// Runs is how often each case is run in each round.
	Runs int
}

// warmUp is how often each case is run before the clock counts.
func (p Plan) warmUp() int { return max(1, p.Runs/20) }

// Round summarises the runs of one case in one round.
type Round struct{ Median, P90 time.Duration }

// Timings are the rounds of each case, by its name.
type Timings map[string][]Round

// Time runs cases in turn, shuffled anew for every turn. The first error of a
// case ends it.
func (p Plan) Time(ctx context.Context, cases []Case) (Timings, error) {
	if _, err := turns(ctx, cases, p.warmUp()); err != nil {
		return nil, err
	}
	timings := Timings{}
	for range p.Rounds {
		runtime.GC() // the garbage of one round is not the next one's to clear
		took, err := turns(ctx, cases, p.Runs)
		if err != nil {
			return nil, err
		}
		for name, each := range took {
			timings[name] = append(timings[name], summary(each))
		}
	}
	return timings, nil
}

// turns returns how long each run of each case took.
func turns(ctx context.Context, cases []Case, n int) (map[string][]time.Duration, error) {
	order := slices.Clone(cases)
	took := map[string][]time.Duration{}
	for range n {
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, c := range order {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			once, err := c.time(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
			took[c.Name] = append(took[c.Name], once)
		}
	}
	return took, nil
}

func (c Case) time(ctx context.Context) (time.Duration, error) {
	start := time.Now()
	err := c.Run(ctx)
	took := time.Since(start) / time.Duration(max(c.Times, 1))
	if err == nil && c.After != nil {
		err = c.After()
	}
	return took, err
}

func summary(each []time.Duration) Round {
	slices.Sort(each)
	return Round{Median: each[len(each)/2], P90: each[len(each)*9/10]}
}

// Median returns the round of a case whose median is the median of all rounds.
func (t Timings) Median(name string) Round {
	rounds := slices.SortedFunc(slices.Values(t[name]), func(a, b Round) int { return cmp.Compare(a.Median, b.Median) })
	return rounds[len(rounds)/2]
}

// Against compares a case with a floor, each round with the floor's own, and
// returns the round whose ratio is the median of all, with the floor's.
func (t Timings) Against(name, floor string) (round, same Round) {
	order := make([]int, len(t[name]))
	for i := range order {
		order[i] = i
	}
	ratio := func(i int) float64 { return float64(t[name][i].Median) / float64(t[floor][i].Median) }
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(ratio(i), ratio(j)) })
	i := order[len(order)/2]
	return t[name][i], t[floor][i]
}

// Allocations is what something takes from the heap each time, in whatever
// goroutine of this program.
type Allocations struct {
	Count float64 `json:"count"`
	Bytes float64 `json:"bytes"`
}

// Allocate runs a case n times and returns its allocations. Nothing else of
// the program should run meanwhile.
func (c Case) Allocate(ctx context.Context, n int) (Allocations, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		if _, err := c.time(ctx); err != nil {
			return Allocations{}, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	runtime.ReadMemStats(&after)
	times := float64(n * max(c.Times, 1))
	return Allocations{
		Count: float64(after.Mallocs-before.Mallocs) / times,
		Bytes: float64(after.TotalAlloc-before.TotalAlloc) / times,
	}, nil
}
