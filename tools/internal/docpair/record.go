package docpair

import (
	"crypto/sha1" // git's own name for a file's content, not a protection
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
)

// BlobHash is the name that git gives a file with this content.
func BlobHash(content []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// command re-records a document, from the top of the checkout.
func command(p Pair) string { return "go run ./tools/cmd/docpair --write " + p.English() }

// recordText is a whole record.
func recordText(p Pair, english, chinese string) string {
	return fmt.Sprintf("# Both texts say the same. Confirm it after a change: %s\n%s: %s\n%s: %s\n",
		command(p), path.Base(p.English()), english, path.Base(p.Chinese()), chinese)
}

var hashAtEnd = regexp.MustCompile(`(?m): ([0-9a-f]{40})$`)

// checkRecord compares the record with the texts that exist.
func (t Tree) checkRecord(p Pair) ([]Problem, error) {
	record, err := t.read(p.Record())
	if err != nil {
		return nil, err
	}
	problem := func(rule Rule, text string) []Problem {
		return []Problem{{File: p.Record(), Rule: rule, Text: text + "; compare the two texts, then " + command(p)}}
	}
	if record == nil {
		return problem(RuleSiblings, "does not exist"), nil
	}
	recorded := hashAtEnd.FindAllStringSubmatch(string(record), -1)
	if len(recorded) != 2 || string(record) != recordText(p, recorded[0][1], recorded[1][1]) {
		return problem(RuleRecord, "is not a record as --write makes it"), nil
	}
	var changed []string
	for i, name := range []string{p.English(), p.Chinese()} {
		content, err := t.read(name)
		if err != nil {
			return nil, err
		}
		if content != nil && BlobHash(content) != recorded[i][1] {
			changed = append(changed, path.Base(name))
		}
	}
	if len(changed) > 0 {
		return problem(RuleHash, strings.Join(changed, " and ")+" changed since it was confirmed"), nil
	}
	return nil, nil
}

// UnconfirmableError is a document whose texts differ in what a program can
// see. Nothing was recorded.
type UnconfirmableError struct {
	Pair     Pair
	Problems []Problem
}

// Error gives the problems, a line each.
func (e *UnconfirmableError) Error() string {
	var lines []string
	for _, p := range e.Problems {
		lines = append(lines, p.String())
	}
	return fmt.Sprintf("%s cannot be confirmed:\n%s", e.Pair, strings.Join(lines, "\n"))
}

// ErrExcluded is the reason why an excluded document cannot be confirmed.
var ErrExcluded = errors.New("needs no second language")

// Write records that the two texts of a document say the same. It refuses
// with an [*UnconfirmableError] what a program can see to be untrue.
func (t Tree) Write(p Pair) error {
	if t.excludes(p) {
		return fmt.Errorf("%s %w", p, ErrExcluded)
	}
	problems, err := t.checkTexts(p)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return &UnconfirmableError{p, problems}
	}
	english, err := t.read(p.English())
	chinese, err2 := t.read(p.Chinese())
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	return os.WriteFile(t.path(p.Record()), []byte(recordText(p, BlobHash(english), BlobHash(chinese))), 0o644)
}
