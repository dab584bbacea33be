package docpair

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// anchor returns the fragment by which GitHub knows a heading, given those of
// the headings before it: in lower case, without punctuation, with hyphens for
// spaces, and numbered where it is not the first of its name.
func anchor(heading string, before []string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
	unique := name
	for n := 1; slices.Contains(before, unique); n++ {
		unique = fmt.Sprintf("%s-%d", name, n)
	}
	return unique
}
