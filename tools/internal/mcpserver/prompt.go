package mcpserver

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/dsh-go/dsh/sandbox"
)

// maxReason and maxName bound, in runes, what is shown of texts that decide
// nothing. A command is always shown in full.
const (
	maxReason = 1000
	maxName   = 100
)

// prompt is what the user is shown. Facts come first, so that nothing that the
// model wrote can stand before them or push them away; each line that it wrote
// stands behind a bar, with what does not print made visible. Everything is
// indented, which to a client that renders Markdown is text to show as it is.
func prompt(req sandbox.EscalationRequest) string {
	var b strings.Builder
	b.WriteString("May this one command run with more access?\n\n")
	fmt.Fprintf(&b, "    asked by:   %s\n", visible(shorten(req.Caller, maxName)))
	fmt.Fprintf(&b, "    mode now:   %s\n", meaning(req.Policy))
	wider := req.Policy
	wider.Mode = req.Mode
	fmt.Fprintf(&b, "    mode asked: %s\n", meaning(wider))
	fmt.Fprintf(&b, "    directory:  %s\n", visible(req.Dir))
	b.WriteString("\nThe command:\n\n")
	b.WriteString(barred(req.Subject))
	b.WriteString("\nThe reason that the model gives:\n\n")
	b.WriteString(barred(shorten(req.Justification, maxReason)))
	return b.String()
}

// meaning is a policy in a few words.
func meaning(policy sandbox.Policy) string {
	switch policy.Mode {
	case sandbox.ReadOnly:
		return "read-only (changes no file)"
	case sandbox.WorkspaceWrite:
		return fmt.Sprintf("workspace-write (may change files beneath %s and temporary ones)", visible(policy.WorkspaceRoot))
	default:
		return string(policy.Mode) + " (not confined at all)"
	}
}

// barred returns each line of text behind a bar.
func barred(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString("    | " + visible(line) + "\n")
	}
	return b.String()
}

// visible escapes what does not print: control characters, line and paragraph
// separators, invisible characters, and those that turn the direction of text.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}

// shorten returns the first runes of text, and says so if those are not all.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}
