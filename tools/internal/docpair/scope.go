package docpair

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Exclusion takes a document out of scope.
type Exclusion struct {
	Pair   Pair
	Reason string
}

// SyntaxError is a line that is not an exclusion.
type SyntaxError struct {
	Line int
	Text string
}

// Error gives the line and what belongs there.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d: %q is not `document reason`", e.Line, e.Text)
}

// ParseExclusions reads exclusions, one a line: the name of an English text,
// and the reason, which is the rest. Blank lines and those that begin with #
// say nothing.
func ParseExclusions(text string) ([]Exclusion, error) {
	var all []Exclusion
	n := 0
	for line := range strings.Lines(text) {
		n++
		name, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
		reason = strings.TrimSpace(reason)
		switch {
		case name == "" || strings.HasPrefix(name, "#"):
		case reason == "" || !strings.HasSuffix(name, englishSuffix):
			return nil, &SyntaxError{n, strings.TrimSpace(line)}
		default:
			all = append(all, Exclusion{PairOf(name), reason})
		}
	}
	return all, nil
}

// Pairs returns the documents in scope, sorted: those at the top of the
// checkout, every README, everything under docs/, and whatever else has one of
// the siblings. What lies in a folder called testdata is no document. The
// problems are about the exclusions.
func (t Tree) Pairs() ([]Pair, []Problem, error) {
	var found []Pair
	err := filepath.WalkDir(t.Root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); file != t.Root && (name == ".git" || name == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		relative, err := filepath.Rel(t.Root, file)
		if name := filepath.ToSlash(relative); inScope(name) {
			found = append(found, PairOf(name))
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(found)
	pairs, problems := t.exclude(slices.Compact(found))
	return pairs, problems, nil
}

func inScope(name string) bool {
	switch {
	case strings.HasSuffix(name, chineseSuffix), strings.HasSuffix(name, recordSuffix):
		return true
	case !strings.HasSuffix(name, englishSuffix):
		return false
	}
	return path.Base(name) == "README.md" || path.Dir(name) == "." || strings.HasPrefix(name, "docs/")
}

// exclude takes out what is excluded, and reports exclusions of nothing.
func (t Tree) exclude(found []Pair) ([]Pair, []Problem) {
	var problems []Problem
	for _, e := range t.Exclusions {
		if !slices.Contains(found, e.Pair) {
			problems = append(problems, Problem{
				File: e.Pair.English(), Rule: RuleExclusion, Text: "is excluded, but there is no such document",
			})
		}
	}
	return slices.DeleteFunc(found, t.excludes), problems
}

func (t Tree) excludes(p Pair) bool {
	return slices.ContainsFunc(t.Exclusions, func(e Exclusion) bool { return e.Pair == p })
}
