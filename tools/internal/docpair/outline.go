package docpair

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// outline is what of a text must mirror the other language.
type outline struct {
	name   string
	source []byte
	// blocks are all but paragraphs, in order, those inside others included.
	blocks []block
	links  []link
	// anchors are the fragments by which a browser knows the headings.
	anchors []string
}

type block struct {
	rule Rule
	// what it is, for a person: "a list of 3 items".
	what string
	// depth is how many blocks it lies in.
	depth int
	// content must be the same, byte for byte; empty for most kinds.
	content string
	line    int
}

// same leaves the line out.
func (b block) same(other block) bool {
	return b.rule == other.rule && b.what == other.what && b.depth == other.depth && b.content == other.content
}

type link struct {
	target string
	// section is how many headings stand before it.
	section int
	line    int
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

func parse(name string, source []byte) *outline {
	o := &outline{name: name, source: source}
	depth := 0
	root := markdown.Parser().Parse(text.NewReader(source))
	// The walker returns no error, so Walk does not either.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		isBlock := n.Type() == ast.TypeBlock
		if !entering {
			if isBlock {
				depth--
			}
			return ast.WalkContinue, nil
		}
		o.visit(n, depth)
		if isBlock {
			depth++
		}
		return ast.WalkContinue, nil
	})
	return o
}

// visit takes up one node.
func (o *outline) visit(n ast.Node, depth int) {
	add := func(rule Rule, content []byte, format string, args ...any) {
		o.blocks = append(o.blocks, block{rule, fmt.Sprintf(format, args...), depth, string(content), o.line(n)})
	}
	switch n := n.(type) {
	case *ast.Heading:
		add(RuleHeading, nil, "a heading of level %d", n.Level)
		o.anchors = append(o.anchors, anchor(plainText(n, o.source), o.anchors))
	case *ast.FencedCodeBlock:
		var info []byte
		if n.Info != nil {
			info = n.Info.Value(o.source)
		}
		add(RuleCode, append(append(info[:len(info):len(info)], '\n'), n.Lines().Value(o.source)...), "a code block")
	case *ast.CodeBlock:
		add(RuleCode, n.Lines().Value(o.source), "an indented code block")
	case *east.Table:
		add(RuleTable, nil, "a table of %d rows and %d columns", n.ChildCount(), n.FirstChild().ChildCount())
	case *ast.List:
		add(RuleList, nil, "%s", listKind(n))
	case *ast.Blockquote, *ast.HTMLBlock, *ast.ThematicBreak:
		add(RuleBlock, nil, "a %s", n.Kind())
	case *ast.Link:
		o.addLink(n, n.Destination)
	case *ast.Image:
		o.addLink(n, n.Destination)
	case *ast.AutoLink:
		o.addLink(n, n.URL(o.source))
	}
}

func listKind(n *ast.List) string {
	if n.IsOrdered() {
		return fmt.Sprintf("a list of %d items, numbered from %d", n.ChildCount(), n.Start)
	}
	return fmt.Sprintf("a list of %d items", n.ChildCount())
}

func (o *outline) addLink(n ast.Node, target []byte) {
	o.links = append(o.links, link{string(target), len(o.anchors), o.line(n)})
}

// line is where a node stands, or for what has no place of its own, the block
// around it.
func (o *outline) line(n ast.Node) int {
	for n.Pos() < 0 && n.Parent() != nil {
		n = n.Parent()
	}
	return 1 + bytes.Count(o.source[:max(0, n.Pos())], []byte("\n"))
}

// plainText is what a reader sees of a heading.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
