package sandboxtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/sandbox"
)

// Markdown renders tables, one section for each runner and mode. Tables that
// differ in the user alone share a section, and a cell in which they differ
// gives both verdicts. The output is the same for the same tables.
func Markdown(tables ...*Table) string {
	var b strings.Builder
	for _, shared := range grouped(tables) {
		for _, mode := range modesOf(shared[0]) {
			fmt.Fprintf(&b, "### %s, %s\n\n%s\n\n", shared[0].Runner, mode, caption(shared))
			writeTable(&b, mode, shared)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// grouped brings together the tables that differ in the user alone.
func grouped(tables []*Table) [][]*Table {
	var groups [][]*Table
	for _, t := range tables {
		at := slices.IndexFunc(groups, func(group []*Table) bool { return group[0].Runner == t.Runner && group[0].System == t.System })
		if at < 0 {
			groups = append(groups, []*Table{t})
		} else {
			groups[at] = append(groups[at], t)
		}
	}
	return groups
}

func modesOf(t *Table) []sandbox.Mode {
	var modes []sandbox.Mode
	for _, cell := range t.Cells {
		if !slices.Contains(modes, cell.Mode) {
			modes = append(modes, cell.Mode)
		}
	}
	return modes
}

func caption(shared []*Table) string {
	users := make([]string, len(shared))
	for i, t := range shared {
		users[i] = t.User
	}
	return fmt.Sprintf("%s, %s.", shared[0].System, strings.Join(users, " / "))
}

func writeTable(b *strings.Builder, mode sandbox.Mode, shared []*Table) {
	b.WriteString("| effect |")
	for _, place := range places {
		fmt.Fprintf(b, " %s |", place)
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(places)+1) + "\n")
	for _, effect := range rowsOf(mode, shared[0]) {
		fmt.Fprintf(b, "| %s |", effect)
		for _, place := range places {
			fmt.Fprintf(b, " %s |", entryOf(mode, effect, place, shared))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

func rowsOf(mode sandbox.Mode, t *Table) []sandbox.Effect {
	var rows []sandbox.Effect
	for _, cell := range t.Cells {
		if cell.Mode == mode && !slices.Contains(rows, cell.Effect) {
			rows = append(rows, cell.Effect)
		}
	}
	return rows
}

// entryOf gives the verdict of each table, or one if they agree.
func entryOf(mode sandbox.Mode, effect sandbox.Effect, place sandbox.Place, shared []*Table) string {
	var verdicts []string
	for _, t := range shared {
		text := "–"
		if cell := t.find(mode, effect, place); cell != nil && cell.Verdict != NotTriable {
			text = string(cell.Verdict)
		}
		verdicts = append(verdicts, text)
	}
	if len(slices.Compact(slices.Clone(verdicts))) == 1 {
		return verdicts[0]
	}
	return strings.Join(verdicts, " / ")
}

// The lines of a document between which its tables stand.
const (
	tablesBegin = "<!-- conformance tables: generated, begin -->"
	tablesEnd   = "<!-- conformance tables: generated, end -->"
)

// ErrNoMarkers means that a document does not say where its tables belong.
var ErrNoMarkers = errors.New("sandboxtest: the document lacks the lines " + tablesBegin + " and " + tablesEnd)

// Update returns a document with what stands between its two marker lines
// replaced by the tables.
func Update(document string, tables ...*Table) (string, error) {
	head, rest, begins := strings.Cut(document, tablesBegin+"\n")
	_, tail, ends := strings.Cut(rest, tablesEnd+"\n")
	if !begins || !ends {
		return "", ErrNoMarkers
	}
	return head + tablesBegin + "\n\n" + Markdown(tables...) + "\n" + tablesEnd + "\n" + tail, nil
}
