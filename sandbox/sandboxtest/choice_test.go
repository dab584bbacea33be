//go:build unix

package sandboxtest

import (
	"slices"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

// forget makes the next measurement find out anew what is possible without a
// sandbox.
func forget(t *testing.T) {
	t.Helper()
	known := unconfined
	unconfined = findings{}
	t.Cleanup(func() { unconfined = known })
}

// measureNothing measures a provider that confines nothing.
func measureNothing(t *testing.T, options Options) *Table {
	t.Helper()
	options.Host, options.Start = sandbox.Host{FirstFD: execFD}, leaky
	table, err := Measure(t.Context(), fake{argv: asRequested}, options)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// triable are the cells of which something is known.
func triable(table *Table) []cellKey {
	var keys []cellKey
	for _, cell := range table.Cells {
		if cell.Trials > 0 {
			keys = append(keys, cellKey{cell.Effect, cell.Place})
		}
	}
	return keys
}

func TestOneAttemptTriesEveryEffectThatAllAttemptsTry(t *testing.T) {
	forget(t)
	one := measureNothing(t, Options{OneAttempt: true})
	if unconfined.complete || unconfined.serves(Options{}) {
		t.Error("a control that was cut short serves a measurement by all attempts")
	}
	all := measureNothing(t, Options{})
	afterAll := measureNothing(t, Options{OneAttempt: true})
	if got, want := triable(one), triable(all); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("one attempt tries %v\nall try %v", got, want)
	}
	if !slices.Equal(one.Cells, afterAll.Cells) {
		t.Errorf("after a whole control it tries\n%v\nand after its own\n%v", afterAll.Cells, one.Cells)
	}
	spared := false
	for i, cell := range one.Cells {
		if cell.Verdict != all.Cells[i].Verdict && cell.Verdict != NotTriable && !writable(cell.Mode, cell.Place) {
			t.Errorf("%s, %s in %s: %s by one attempt, %s by all", cell.Mode, cell.Effect, cell.Place, cell.Verdict, all.Cells[i].Verdict)
		}
		if cell.Untriable > 0 {
			t.Errorf("%s, %s in %s: %d attempts that cannot succeed", cell.Mode, cell.Effect, cell.Place, cell.Untriable)
		}
		spared = spared || cell.Trials < all.Cells[i].Trials
	}
	if !spared {
		t.Error("one attempt makes as many as all")
	}
	nothingLeft(t)
}

func TestOneAttemptFindsOutAGapThatIsNone(t *testing.T) {
	gap := sandbox.Gap{Effect: sandbox.EffectMode, Place: sandbox.PlaceOutside, Reason: "so it says"}
	provider := fake{argv: pretending(t), gaps: map[sandbox.Mode][]sandbox.Gap{sandbox.ReadOnly: {gap}}}
	table, err := Measure(t.Context(), provider, Options{OneAttempt: true, Modes: []sandbox.Mode{sandbox.ReadOnly}})
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Violations) != 1 || table.Violations[0].Kind != UnobservedGap {
		t.Errorf("%v", table.Violations)
	}
}
