package docpair

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// checkSwitcher wants the line as the first thing under the title, which is
// the first thing at all.
func (o *outline) checkSwitcher(want string) []Problem {
	root := markdown.Parser().Parse(text.NewReader(o.source))
	problem := []Problem{{File: o.name, Line: 1, Rule: RuleSwitcher, Text: fmt.Sprintf("the line under the title is not %q", want)}}
	title, ok := root.FirstChild().(*ast.Heading)
	if !ok || title.Level != 1 {
		return problem
	}
	switcher, ok := title.NextSibling().(*ast.Paragraph)
	if !ok || string(bytes.TrimSpace(switcher.Lines().Value(o.source))) != want {
		return problem
	}
	return nil
}

// compare returns the first difference of structure, or nil. What follows a
// first difference differs for its sake.
func compare(en, zh *outline) *Problem {
	for i := range max(len(en.blocks), len(zh.blocks)) {
		switch {
		case i == len(zh.blocks):
			return missing(en.blocks[i], en.name, zh.name)
		case i == len(en.blocks):
			return missing(zh.blocks[i], zh.name, en.name)
		case !en.blocks[i].same(zh.blocks[i]):
			return different(en, zh, en.blocks[i], zh.blocks[i])
		}
	}
	return nil
}

func missing(b block, has, lacks string) *Problem {
	return &Problem{has, b.line, b.rule, fmt.Sprintf("%s, and %s has nothing there", b.what, lacks)}
}

func different(en, zh *outline, a, b block) *Problem {
	if a.what == b.what && a.depth == b.depth {
		return &Problem{zh.name, b.line, b.rule, fmt.Sprintf("differs from that at %s:%d%s", en.name, a.line, firstDifference(a.content, b.content))}
	}
	where := ""
	if a.what == b.what {
		where = ", at another depth"
	}
	return &Problem{zh.name, b.line, b.rule, fmt.Sprintf("%s, where %s:%d has %s%s", b.what, en.name, a.line, a.what, where)}
}

// firstDifference shows the first line that two code blocks do not share.
func firstDifference(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			return fmt.Sprintf(": %q, and there %q", lb[i], la[i])
		}
	}
	return fmt.Sprintf(": %d lines, and there %d", len(lb), len(la))
}

// sections groups what the links of a text lead to by the heading they stand
// under, sorted, for a translation may mention things in another order.
func sections(links []link) map[int][]string {
	all := map[int][]string{}
	for _, l := range links {
		all[l.section] = append(all[l.section], l.target)
	}
	for _, targets := range all {
		slices.Sort(targets)
	}
	return all
}
