// Package deps knows which modules from elsewhere each module of the project
// may require, and why.
package deps

import (
	_ "embed" // for the list
	"fmt"
	"slices"
	"strings"
)

//go:embed allowed.txt
var allowed string

// Allowed is the project's list, allowed.txt.
func Allowed() (List, error) { return Parse(allowed) }

// Entry allows one module one dependency.
type Entry struct {
	// Module is a directory of the checkout.
	Module string
	// Dependency is a module path.
	Dependency string
	Reason     string
}

// List is a list of dependencies that are allowed.
type List []Entry

// SyntaxError is a line that is not an entry.
type SyntaxError struct {
	Line int
	Text string
}

// Error gives the line and what belongs there.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d: %q is not `module dependency reason`", e.Line, e.Text)
}

// Parse reads entries, one a line: module, dependency, and the reason, which
// is the rest. Blank lines and those that begin with # say nothing.
func Parse(text string) (List, error) {
	var list List
	n := 0
	for line := range strings.Lines(text) {
		n++
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(fields[0], "#"):
		case len(fields) < 3:
			return nil, &SyntaxError{n, strings.TrimSpace(line)}
		default:
			list = append(list, Entry{fields[0], fields[1], strings.Join(fields[2:], " ")})
		}
	}
	return list, nil
}

// Compare says which dependencies of the module are not allowed, and which
// are allowed without being there.
func (l List) Compare(module string, required []string) []string {
	var broken []string
	var known []string
	for _, e := range l {
		if e.Module != module {
			continue
		}
		known = append(known, e.Dependency)
		if !slices.Contains(required, e.Dependency) {
			broken = append(broken, fmt.Sprintf("does not require %s, which the list of dependencies gives a reason for", e.Dependency))
		}
	}
	for _, path := range required {
		if !slices.Contains(known, path) {
			broken = append(broken, fmt.Sprintf("requires %s, for which the list of dependencies gives no reason", path))
		}
	}
	return broken
}

// ComparePage says how the tables of a Markdown page differ from the list.
// Their columns are module, dependency and reason; the reasons must be the
// list's own words only if sameWords.
func (l List) ComparePage(page string, sameWords bool) []string {
	shown := tableRows(page)
	var broken []string
	for _, e := range l {
		i := slices.IndexFunc(shown, func(s Entry) bool { return s.Module == e.Module && s.Dependency == e.Dependency })
		switch {
		case i < 0:
			broken = append(broken, fmt.Sprintf("does not show that %s requires %s", e.Module, e.Dependency))
		case sameWords && shown[i].Reason != e.Reason:
			broken = append(broken, fmt.Sprintf("gives another reason why %s requires %s", e.Module, e.Dependency))
		}
	}
	for _, s := range shown {
		if !slices.ContainsFunc(l, func(e Entry) bool { return s.Module == e.Module && s.Dependency == e.Dependency }) {
			broken = append(broken, fmt.Sprintf("shows that %s requires %s, which is not allowed", s.Module, s.Dependency))
		}
	}
	return broken
}

// tableRows reads the rows of three cells whose second is code.
func tableRows(page string) List {
	var rows List
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || len(cells) != 3 {
			continue
		}
		dependency := strings.TrimSpace(cells[1])
		if !strings.HasPrefix(dependency, "`") {
			continue
		}
		module := strings.Trim(strings.TrimSpace(cells[0]), "`")
		rows = append(rows, Entry{module, strings.Trim(dependency, "`"), strings.TrimSpace(cells[2])})
	}
	return rows
}
