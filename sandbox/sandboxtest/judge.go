package sandboxtest

import (
	"fmt"
	"slices"

	"github.com/dsh-go/dsh/sandbox"
)

// judge compares what was observed under a mode with what was claimed.
func (s *suite) judge(mode sandbox.Mode, claims sandbox.Report, trials map[cellKey][]*staged) {
	for _, effect := range effects {
		for _, place := range places {
			all := trials[cellKey{effect, place}]
			telling := slices.DeleteFunc(slices.Clone(all), func(t *staged) bool { return !s.tells(t) })
			cell := Cell{
				Mode: mode, Effect: effect, Place: place, Verdict: NotTriable,
				Trials: len(telling), Untriable: len(all) - len(telling),
			}
			if len(telling) > 0 {
				cell.Verdict = s.verdict(cell, claims, telling)
			}
			s.table.Cells = append(s.table.Cells, cell)
		}
	}
	for _, gap := range claims.Gaps {
		s.judgeGap(mode, gap)
	}
}

// tells reports whether a trial says anything about the sandbox: it does if it
// succeeds without one, or although it does not.
func (s *suite) tells(t *staged) bool { return unconfined.possible[s.key(t)] || t.changed() }

// verdict judges the trials of one cell that say something.
func (s *suite) verdict(cell Cell, claims sandbox.Report, trials []*staged) Verdict {
	if writable(cell.Mode, cell.Place) {
		return s.allowed(cell, trials)
	}
	verdict := Refused
	for _, t := range trials {
		if !t.changed() {
			continue
		}
		if t.needed != mustFail && declared(claims, cell) {
			if verdict == Refused {
				verdict = DeclaredGap
			}
			continue
		}
		verdict = Violated
		s.found(UndeclaredGap, cell, t)
	}
	return verdict
}

func declared(claims sandbox.Report, cell Cell) bool {
	return slices.ContainsFunc(claims.Gaps, func(g sandbox.Gap) bool { return g.Covers(cell.Effect, cell.Place) })
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
			s.found(UndeclaredGap, cell, t)
			return Violated
		case t.needed == mustFail:
		case worked && t.result.Private && verdict == Refused:
			verdict = AllowedPrivately
		case worked && !t.result.Private:
			verdict = Allowed
		case worked || t.needed == mayWork || s.limited(cell.Effect, t):
		default:
			s.found(Useless, cell, t)
			return Violated
		}
	}
	return verdict
}

// limited reports whether there is an excuse for not working: a documented
// limit, or a file system of the sandbox's own that cannot do it.
func (s *suite) limited(effect sandbox.Effect, t *staged) bool {
	return slices.Contains(s.options.Limits, effect) || t.result.Private && t.result.Unsupported
}

func (s *suite) found(k Kind, cell Cell, t *staged) {
	s.violate(Violation{k, cell.Mode, cell.Effect, cell.Place, t.attempt.String(), t.detail()})
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
		s.table.Untried = append(s.table.Untried, fmt.Sprintf("the gap that %s declares for %s in %s", mode, gap.Effect, gap.Place))
		return
	}
	s.violate(Violation{UnobservedGap, mode, gap.Effect, gap.Place, fmt.Sprintf("any of %d attempts", tried), gap.Reason})
}
