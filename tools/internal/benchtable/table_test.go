package benchtable

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFiguresAsAPersonReadsThem(t *testing.T) {
	for want, q := range map[string]Quantity{
		"92 ns":     Duration(92),
		"1.50 µs":   Duration(1500),
		"15.0 µs":   Duration(15 * time.Microsecond),
		"1.23 ms":   Duration(1234 * time.Microsecond),
		"123 ms":    Duration(123 * time.Millisecond),
		"2.00 s":    Duration(2 * time.Second),
		"-1.00 ms":  Duration(-time.Millisecond),
		"0":         {},
		"3.00":      {Value: 3},
		"1000":      {Value: 1000},
		"512 B":     {512, Bytes},
		"32.0 KiB":  {32 << 10, Bytes},
		"2.00 GiB":  {2 << 30, Bytes},
		"-1.00 KiB": {-1024, Bytes},
		"2.50 GB/s": Throughput(2_500_000_000, time.Second),
	} {
		if got := q.String(); got != want {
			t.Errorf("%+v: %q, want %q", q, got, want)
		}
	}
}

func TestTargets(t *testing.T) {
	limit := Quantity{Value: 1.1}
	for _, tt := range []struct {
		target Target
		met    bool
	}{
		{AtMost(Quantity{Value: 1.1}, limit, ""), true},
		{AtMost(Quantity{Value: 1.11}, limit, ""), false},
		{AtLeast(Quantity{Value: 1.1}, limit, ""), true},
		{AtLeast(Quantity{Value: 1.09}, limit, ""), false},
	} {
		if tt.target.Met != tt.met {
			t.Errorf("%+v", tt.target)
		}
	}
}

func TestCompare(t *testing.T) {
	row := Row{Name: "ours"}
	row.SetRound(Round{Median: 30, P90: 60})
	row.Compare("floor", Round{Median: 30}, Round{Median: 20}, 1.2)
	row.Compare("other", Round{Median: 30}, Round{Median: 30}, 0)
	if got := (Table{row}).Unmet(); !slices.Equal(got, []string{"ours: ≤ 1.20 × floor"}) {
		t.Errorf("unmet: %q", got)
	}
	if got := row.ratios(); got != "1.50 × floor, 1.00 × other" {
		t.Errorf("ratios: %q", got)
	}
	if row.Value != Duration(30) || *row.P90 != Duration(60) {
		t.Errorf("%v, %v", row.Value, row.P90)
	}
}

func TestMarkdown(t *testing.T) {
	p90 := Duration(2 * time.Millisecond)
	table := Table{
		{
			Name: "µ row", Value: Duration(time.Millisecond), P90: &p90, Allocations: &Allocations{58, 2048},
			Targets: []Target{{"≤ 1", true}, {"≤ 2", false}},
		},
		{Name: "a|b", Skipped: "no\n such | thing"},
	}
	want := strings.TrimPrefix(`
| row   | median                    | p90     | ratio | allocations  | target                     |
| ----- | ------------------------- | ------- | ----- | ------------ | -------------------------- |
| µ row | 1.00 ms                   | 2.00 ms |       | 58, 2.00 KiB | ≤ 1: met, ≤ 2: **not met** |
| a\|b  | skipped: no such \| thing |         |       |              |                            |
`, "\n")
	var got strings.Builder
	if err := table.WriteMarkdown(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
