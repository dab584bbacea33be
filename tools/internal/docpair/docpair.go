// Package docpair holds the documents of the checkout to what makes two
// languages equal: every document in scope has two texts that mirror each
// other, and somebody has confirmed that they say the same.
//
// A document is three siblings. X.md is the English text, X.zh.md the Chinese
// one, and X.i18n.yaml the record of the last confirmation: the git blob hash
// of each text. A text that changes without its record is red, so that the
// other language is looked at. Whether a translation is right, no program can
// tell; that is what the confirmation is for.
//
// The package reads working files only, and needs no repository.
package docpair

import (
	_ "embed" // for the exclusions
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Rule names a rule that a document can break.
type Rule string

const (
	// RuleSiblings: all three files exist.
	RuleSiblings Rule = "siblings"
	// RuleRecord: the record is as --write makes it.
	RuleRecord Rule = "record"
	// RuleHash: each text is the one that was confirmed.
	RuleHash Rule = "hash"
	// RuleSwitcher: a line that leads to the other language stands under the
	// title of both.
	RuleSwitcher Rule = "switcher"
	// RuleHeading: the headings have the same levels.
	RuleHeading Rule = "heading"
	// RuleCode: code blocks are the same, byte for byte.
	RuleCode Rule = "code"
	// RuleTable: tables have the same rows and columns.
	RuleTable Rule = "table"
	// RuleList: lists are of the same kind and length.
	RuleList Rule = "list"
	// RuleBlock: quotations, HTML blocks and thematic breaks have the same
	// places.
	RuleBlock Rule = "block"
	// RuleLink: links lead to the same targets, those to a paired document to
	// the text in their own language, and those into the checkout to a file
	// that exists.
	RuleLink Rule = "link"
	// RuleExclusion: an exclusion is about a document that exists.
	RuleExclusion Rule = "exclusion"
)

// Problem is one rule that a document breaks.
type Problem struct {
	// File is relative to the checkout, slash-separated.
	File string
	// Line is where, or 0.
	Line int
	Rule Rule
	Text string
}

// String is one line for a person.
func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", p.File, p.Rule, p.Text)
	}
	return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Rule, p.Text)
}

// Pair is a document, by what the names of its three files begin with:
// "docs/releasing".
type Pair string

// English is the name of the English text.
func (p Pair) English() string { return string(p) + englishSuffix }

// Chinese is the name of the Chinese text.
func (p Pair) Chinese() string { return string(p) + chineseSuffix }

// Record is the name of the record.
func (p Pair) Record() string { return string(p) + recordSuffix }

const (
	englishSuffix = ".md"
	chineseSuffix = ".zh.md"
	recordSuffix  = ".i18n.yaml"
)

// PairOf returns the document that a file, or the beginning of its name,
// belongs to.
func PairOf(name string) Pair {
	name = path.Clean(filepath.ToSlash(name))
	for _, suffix := range []string{chineseSuffix, englishSuffix, recordSuffix} {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			return Pair(base)
		}
	}
	return Pair(name)
}

// Tree is a checkout.
type Tree struct {
	Root       string
	Exclusions []Exclusion
}

// Open returns the checkout at root with the project's own exclusions.
func Open(root string) (Tree, error) {
	exclusions, err := ParseExclusions(excluded)
	return Tree{root, exclusions}, err
}

//go:embed excluded.txt
var excluded string

// Check returns the documents in scope and everything that is wrong with
// them. The error says that it could not look.
func (t Tree) Check() ([]Pair, []Problem, error) {
	pairs, problems, err := t.Pairs()
	if err != nil {
		return nil, nil, err
	}
	for _, p := range pairs {
		found, err := t.CheckPair(p)
		if err != nil {
			return nil, nil, err
		}
		problems = append(problems, found...)
	}
	return pairs, problems, nil
}

// CheckPair returns everything that is wrong with one document.
func (t Tree) CheckPair(p Pair) ([]Problem, error) {
	problems, err := t.checkTexts(p)
	if err != nil {
		return nil, err
	}
	stale, err := t.checkRecord(p)
	return append(problems, stale...), err
}

// checkTexts looks at the two texts, whatever the record says.
func (t Tree) checkTexts(p Pair) ([]Problem, error) {
	english, err := t.read(p.English())
	chinese, err2 := t.read(p.Chinese())
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	var problems []Problem
	for _, text := range []struct {
		name    string
		content []byte
	}{{p.English(), english}, {p.Chinese(), chinese}} {
		if text.content == nil {
			problems = append(problems, Problem{File: text.name, Rule: RuleSiblings, Text: "does not exist"})
		}
	}
	if len(problems) > 0 {
		return problems, nil
	}
	en, zh := parse(p.English(), english), parse(p.Chinese(), chinese)
	problems = append(en.checkSwitcher(englishSwitcher(p)), zh.checkSwitcher(chineseSwitcher(p))...)
	if different := compare(en, zh); different != nil {
		return append(problems, *different), nil
	}
	links, err := t.compareLinks(en, zh)
	return append(problems, links...), err
}

// read returns a file of the checkout, or nil if there is none.
func (t Tree) read(name string) ([]byte, error) {
	data, err := os.ReadFile(t.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if data == nil {
		data = []byte{}
	}
	return data, err
}

func (t Tree) path(name string) string { return filepath.Join(t.Root, filepath.FromSlash(name)) }

func englishSwitcher(p Pair) string {
	return "English | [中文](" + path.Base(p.Chinese()) + ")"
}

func chineseSwitcher(p Pair) string {
	return "[English](" + path.Base(p.English()) + ") | 中文"
}
