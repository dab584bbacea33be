package bashsandbox

import (
	"bytes"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/sandbox"
)

// maxLine bounds how much of one line of standard error is held. A longer one
// is looked at piece by piece, the pieces overlapping by the longest signature
// so that none is missed at a seam.
const maxLine = 16 << 10

// maxDetail bounds the line that is quoted as a runner's own word.
const maxDetail = 1 << 10

// evidence watches standard error as it streams by, so that nothing that
// matters scrolls out of the collected tail, in memory that does not grow with
// what a command prints. It is not safe for concurrent use: the stream is
// observed in order, and read only once it has ended.
type evidence struct {
	denials []string
	rules   []*rule
	overlap int // bytes that two pieces of a long line share

	line      []byte // of the current line, what was not looked at yet
	long      bool   // the current line was looked at in part
	sawDenial bool
	last      string // the last line that is not blank
}

// rule is a failure rule and the first line that it recognised.
type rule struct {
	exitCodes     []int
	fatal         []string
	informational []string
	matched       bool
	line          string
}

func newEvidence(dialect sandbox.Dialect) *evidence {
	e := &evidence{denials: signatures(dialect.Denials)}
	longest := e.denials
	for _, r := range dialect.Failures {
		fatal := signatures(r.Fatal)
		e.rules = append(e.rules, &rule{exitCodes: r.ExitCodes, fatal: fatal, informational: lower(r.Informational)})
		longest = append(longest, fatal...)
	}
	for _, signature := range longest {
		// Lower case can take fewer bytes than what it stands for, at most a
		// third: the Kelvin sign has three, the letter k one.
		e.overlap = max(e.overlap, 3*len(signature))
	}
	return e
}

// signatures returns what is searched for, without the blank ones, which would
// match everything.
func signatures(texts []string) []string {
	return slices.DeleteFunc(lower(texts), func(s string) bool { return strings.TrimSpace(s) == "" })
}

func lower(texts []string) []string {
	lowered := make([]string, len(texts))
	for i, text := range texts {
		lowered[i] = strings.ToLower(text)
	}
	return lowered
}

// observe takes the next chunk of standard error.
func (e *evidence) observe(chunk []byte) {
	for len(chunk) > 0 {
		end := bytes.IndexByte(chunk, '\n')
		if end < 0 {
			e.extend(chunk)
			return
		}
		e.extend(chunk[:end])
		e.finishLine()
		chunk = chunk[end+1:]
	}
}

// extend adds to the current line, and looks at what there is of it each time
// it grows to the bound.
func (e *evidence) extend(part []byte) {
	for len(e.line)+len(part) > maxLine {
		room := max(0, maxLine-len(e.line))
		e.line = append(e.line, part[:room]...)
		part = part[room:]
		e.look()
		e.long = true
		keep := min(e.overlap, len(e.line))
		e.line = append(e.line[:0], e.line[len(e.line)-keep:]...)
	}
	e.line = append(e.line, part...)
}

// finishLine looks at the rest of the current line, which a "\n" or the end of
// the stream ended.
func (e *evidence) finishLine() {
	e.line = bytes.TrimSuffix(e.line, []byte{'\r'})
	e.look()
	e.line, e.long = e.line[:0], false
}

// look searches what is held of the current line.
func (e *evidence) look() {
	text := string(bytes.ToLower(e.line))
	if !e.sawDenial {
		e.sawDenial = containsAny(text, e.denials)
	}
	for _, r := range e.rules {
		informational := !e.long && slices.Contains(r.informational, text)
		if !r.matched && !informational && containsAny(text, r.fatal) {
			r.matched, r.line = true, e.quote()
		}
	}
	if strings.TrimSpace(text) != "" {
		e.last = e.quote()
	}
}

// quote returns the current line as printed, as far as a message can bear.
func (e *evidence) quote() string {
	return strings.ToValidUTF8(string(e.line[:min(len(e.line), maxDetail)]), "\uFFFD")
}

func containsAny(text string, signatures []string) bool {
	return slices.ContainsFunc(signatures, func(s string) bool { return strings.Contains(text, s) })
}

// denied reports whether a denial's signature was seen.
func (e *evidence) denied() bool {
	e.finishLine()
	return e.sawDenial
}

// failure reports whether a rule recognises a failure of the runner that ended
// with exitCode, and the line by which it does. A zero exit is never one.
func (e *evidence) failure(exitCode int) (line string, failed bool) {
	e.finishLine()
	for _, r := range e.rules {
		applies := exitCode != 0 && (r.exitCodes == nil || slices.Contains(r.exitCodes, exitCode))
		if applies && r.matched {
			return r.line, true
		}
	}
	return "", false
}

// lastWords returns what a runner that is known to have failed said of it: the
// line that a rule recognises, else the last line that is not blank.
func (e *evidence) lastWords(exitCode int) string {
	if line, ok := e.failure(exitCode); ok {
		return line
	}
	return e.last
}
