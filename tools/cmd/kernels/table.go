package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox/sandboxtest"
)

// writeTable writes one line per kernel, runner and mode. Where root's and the
// ordinary user's results differ, a cell gives both, root's first.
func writeTable(w io.Writer, outcomes []outcome) error {
	var b strings.Builder
	b.WriteString("| kernel | arch | ABI | runner | mode | enforcement | gaps | cells passed | not triable |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, o := range outcomes {
		for _, rows := range merge(o.rows) {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
				o.name, o.arch, o.abiText(rows[0].masked), rows[0].Runner, rows[0].Mode,
				each(rows, enforcement), each(rows, gaps), each(rows, passed), each(rows, untriable))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// merge brings together the rows that differ in the user alone.
func merge(rows []row) [][]row {
	var merged [][]row
	for _, r := range rows {
		at := slices.IndexFunc(merged, func(group []row) bool {
			return group[0].masked == r.masked && group[0].Runner == r.Runner && group[0].Mode == r.Mode
		})
		if at < 0 {
			merged = append(merged, []row{r})
		} else {
			merged[at] = append(merged[at], r)
		}
	}
	slices.SortStableFunc(merged, func(a, b []row) int { return a[0].masked - b[0].masked })
	return merged
}

func (o outcome) abiText(masked int) string {
	switch {
	case masked != 0:
		return fmt.Sprintf("%d masked", masked)
	case o.report.ABI == 0:
		return "none"
	default:
		return fmt.Sprint(o.report.ABI)
	}
}

// each gives what the users' rows say, once if they agree.
func each(rows []row, text func(row) string) string {
	var texts []string
	for _, r := range rows {
		texts = append(texts, text(r))
	}
	return strings.Join(slices.Compact(texts), " / ")
}

func enforcement(r row) string {
	if r.Unusable != "" {
		return "unusable"
	}
	return string(r.Enforcement)
}

func passed(r row) string {
	return count(r, func(v sandboxtest.Verdict) bool { return v != sandboxtest.NotTriable && v != sandboxtest.Violated })
}

func untriable(r row) string {
	return count(r, func(v sandboxtest.Verdict) bool { return v == sandboxtest.NotTriable })
}

func count(r row, counts func(sandboxtest.Verdict) bool) string {
	if r.Unusable != "" {
		return "–"
	}
	n := 0
	for verdict, cells := range r.Cells {
		if counts(verdict) {
			n += cells
		}
	}
	return fmt.Sprint(n)
}

// gaps lists the effects by place, or says why there is nothing to say.
func gaps(r row) string {
	if r.Unusable != "" {
		return r.Unusable
	}
	if len(r.Gaps)+len(r.Violations) == 0 {
		return "–"
	}
	var order []string
	places := map[string][]string{} // by the effects that are not governed there
	for _, place := range placesOf(r.Gaps) {
		effects := effectsAt(r.Gaps, place)
		if places[effects] == nil {
			order = append(order, effects)
		}
		places[effects] = append(places[effects], string(place))
	}
	for i, effects := range order {
		order[i] = strings.Join(places[effects], " and ") + ": " + effects
	}
	return strings.Join(append(order, limits(r)...), "; ")
}

// limits says what is refused although the mode allows it, and what else was
// not as claimed: a printed table may be a red one.
func limits(r row) []string {
	var refused, broken []string
	for _, v := range r.Violations {
		switch v.Kind {
		case sandboxtest.Useless:
			refused = append(refused, string(v.Effect))
		case sandboxtest.Broken:
			broken = append(broken, fmt.Sprintf("%s: %s", v.Kind, v.Attempt))
		default:
			broken = append(broken, fmt.Sprintf("%s: %s in %s", v.Kind, v.Effect, v.Place))
		}
	}
	var texts []string
	if len(refused) > 0 {
		slices.Sort(refused)
		texts = append(texts, "*limit: no "+strings.Join(slices.Compact(refused), ", ")+"*")
	}
	for _, text := range slices.Compact(broken) {
		texts = append(texts, "**"+text+"**")
	}
	return texts
}

func placesOf(gaps []sandbox.Gap) []sandbox.Place {
	var places []sandbox.Place
	for _, gap := range gaps {
		if !slices.Contains(places, gap.Place) {
			places = append(places, gap.Place)
		}
	}
	return places
}

func effectsAt(gaps []sandbox.Gap, place sandbox.Place) string {
	var effects []string
	for _, gap := range gaps {
		if gap.Place == place {
			effects = append(effects, string(gap.Effect))
		}
	}
	slices.Sort(effects)
	return strings.Join(effects, ", ")
}

// writeVersions writes what the table was made with.
func writeVersions(w io.Writer, outcomes []outcome, tools []tool) error {
	var b strings.Builder
	b.WriteString("| kernel | arch | release | Landlock ABI |\n|---|---|---|---|\n")
	for _, o := range outcomes {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", o.name, o.arch, o.report.Release, o.abiText(0))
	}
	b.WriteString("\n| tool | version |\n|---|---|\n")
	for _, t := range tools {
		fmt.Fprintf(&b, "| %s | %s |\n", t.name, t.version)
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// tool is something besides the kernel that a result depends on.
type tool struct{ name, version string }
