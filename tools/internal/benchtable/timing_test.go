package benchtable

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

func TestEachTurnRunsEveryCaseOnce(t *testing.T) {
	var order []string
	var cases []Case
	for _, name := range []string{"a", "b", "c"} {
		cases = append(cases, Case{Name: name, Run: func(context.Context) error {
			order = append(order, name)
			return nil
		}})
	}
	plan := Plan{Rounds: 2, Runs: 40}
	timings, err := plan.Time(t.Context(), cases)
	if err != nil {
		t.Fatal(err)
	}
	if want := 3 * (plan.warmUp() + plan.Rounds*plan.Runs); len(order) != want {
		t.Fatalf("%d runs, want %d", len(order), want)
	}
	shuffled := false
	for turn := range slices.Chunk(order, 3) {
		sorted := slices.Sorted(slices.Values(turn))
		if !slices.Equal(sorted, []string{"a", "b", "c"}) {
			t.Fatalf("a turn of %q", turn)
		}
		shuffled = shuffled || !slices.Equal(turn, sorted)
	}
	if !shuffled {
		t.Error("no turn was shuffled")
	}
	for name, rounds := range timings {
		if len(rounds) != plan.Rounds {
			t.Errorf("%s has %d rounds", name, len(rounds))
		}
	}
}

func TestAnErrorEndsItAndNamesTheCase(t *testing.T) {
	failure := errors.New("broken")
	_, err := Plan{Rounds: 1, Runs: 1}.Time(t.Context(), []Case{{Name: "it", Run: func(context.Context) error { return failure }}})
	if !errors.Is(err, failure) || err.Error() != "it: broken" {
		t.Errorf("error %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Plan{Rounds: 1, Runs: 1}.Time(ended, []Case{{Run: func(context.Context) error { return nil }}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

func TestCleaningUpIsNotTimed(t *testing.T) {
	const long = 50 * time.Millisecond
	c := Case{Run: func(context.Context) error { return nil }, After: func() error { time.Sleep(long); return nil }}
	took, err := c.time(t.Context())
	if err != nil || took >= long {
		t.Errorf("took %v, %v", took, err)
	}
}

func TestABatchIsDivided(t *testing.T) {
	c := Case{Times: 1000, Run: func(context.Context) error { time.Sleep(10 * time.Millisecond); return nil }}
	took, err := c.time(t.Context())
	if err != nil || took < 10*time.Microsecond || took >= 10*time.Millisecond {
		t.Errorf("took %v, %v", took, err)
	}
}

var sink any

func TestAllocations(t *testing.T) {
	const size = 1 << 16
	c := Case{Times: 10, Run: func(context.Context) error {
		for range 10 {
			sink = new([size]byte)
		}
		return nil
	}}
	got, err := c.Allocate(t.Context(), 10)
	if err != nil || got.Count < 1 || got.Count > 2 || got.Bytes < size || got.Bytes > 2*size {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestASummaryIsOfTheSortedRuns(t *testing.T) {
	runs := []time.Duration{9, 1, 8, 2, 7, 3, 6, 4, 5, 10}
	if got := summary(runs); got != (Round{Median: 6, P90: 10}) {
		t.Errorf("%+v", got)
	}
}

// A machine that is busy in some rounds slows the case and its floor alike, so
// the ratio decides which round is the median one.
func TestTheMedianRoundIsThatOfTheRatios(t *testing.T) {
	timings := Timings{
		"floor": {{Median: 10}, {Median: 100}, {Median: 20}},
		"case":  {{Median: 30}, {Median: 110}, {Median: 40}}, // ratios 3, 1.1, 2
	}
	round, same := timings.Against("case", "floor")
	if round.Median != 40 || same.Median != 20 {
		t.Errorf("%v against %v", round.Median, same.Median)
	}
	if got := timings.Median("floor").Median; got != 20 {
		t.Errorf("the floor's median round: %v", got)
	}
}
