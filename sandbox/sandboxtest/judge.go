package sandboxtest

import (
	"fmt"
	"slices"

	"github.com/dsh-go/dsh/sandbox"
)

// judge compares what was observed under a mode with what was claimed.
func (s *suite) judge(mode sandbox.Mode, claims sandbox.Report, trials map[cellKey][]*staged) {
	for _, effect := range effects() {
		for _, place := range places {
			cell := Cell{Mode: mode, Effect: effect, Place: place, Verdict: NotTriable}
			possible := slices.DeleteFunc(slices.Clone(trials[cellKey{effect, place}]), func(t *staged) bool { return !s.possible[s.key(t)] })
			cell.Trials = len(possible)
			cell.Untriable = len(trials[cellKey{effect, place}]) - len(possible)
			if len(possible) > 0 {
				cell.Verdict = s.verdict(cell, claims, possible)
			}
			s.table.Cells = append(s.table.Cells, cell)
		}
	}
	for _, gap := range claims.Gaps {
		s.judgeGap(mode, gap)
	}
}

// verdict judges the trials of one cell, which are all possible without a
// sandbox.
func (s *suite) verdict(cell Cell, claims sandbox.Report, trials []*staged) Verdict {
	if writable(cell.Mode, cell.Place) {
		return s.allowed(cell, trials)
	}
	verdict := Refused
	for _, t := range trials {
		if !t.changed() {
			continue
		}
		if slices.ContainsFunc(claims.Gaps, func(g sandbox.Gap) bool { return g.Covers(cell.Effect, cell.Place) }) && t.needed != mustFail {
			if verdict == Refused {
				verdict = DeclaredGap
			}
			continue
		}
		verdict = Violated
		s.found(undeclaredGap, cell, t)
	}
	return verdict
}

// writable reports whether the mode allows changes at the place.
func writable(mode sandbox.Mode, place sandbox.Place) bool {
	return mode == sandbox.WorkspaceWrite && (place == sandbox.PlaceWorkspace || place == sandbox.PlaceTemp)
}

// allowed judges a cell in which the effect must be had.
func (s *suite) allowed(cell Cell, trials []*staged) Verdict {
	verdict := Refused // while nothing worked, of what need not work
	for _, t := range trials {
		worked := t.result.Err == "" && (t.changed() || t.result.Private)
		switch {
		case t.needed == mustFail && worked:
			s.found(undeclaredGap, cell, t)
			return Violated
		case t.needed == mustFail:
		case worked && t.result.Private && verdict == Refused:
			verdict = AllowedPrivately
		case worked && !t.result.Private:
			verdict = Allowed
		case worked || t.needed == mayWork || t.result.Private && t.result.Unsupported:
		default:
			s.found(useless, cell, t)
			return Violated
		}
	}
	return verdict
}

func (s *suite) found(k kind, cell Cell, t *staged) {
	s.find(finding{k, cell.Mode, cell.Effect, cell.Place, t.attempt.String(), t.detail()})
}

// judgeGap looks for a declared gap in the places that it covers.
func (s *suite) judgeGap(mode sandbox.Mode, gap sandbox.Gap) {
	tried := 0
	for _, cell := range s.table.Cells {
		if cell.Mode != mode || !gap.Covers(cell.Effect, cell.Place) {
			continue
		}
		if cell.Verdict == DeclaredGap || cell.Verdict == Violated {
			return
		}
		tried += cell.Trials
	}
	if tried == 0 {
		s.logf("not triable here: the gap that %s declares for %s in %s: %s", mode, gap.Effect, gap.Place, gap.Reason)
		return
	}
	s.find(finding{unobservedGap, mode, gap.Effect, gap.Place, fmt.Sprintf("any of %d attempts", tried), gap.Reason})
}
