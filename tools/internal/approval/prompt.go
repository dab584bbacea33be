// Package approval words the question whether one command may run under a wider
// sandbox mode, for whichever protocol asks it. What it shows of a text that a
// model wrote can neither hide itself nor pass for the program's own words.
package approval

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dsh-go/dsh/sandbox"
)

// maxReason, maxName and maxPreview bound, in runes, what is shown of texts that
// decide nothing, and of the command before it is shown in full.
const (
	maxReason  = 1000
	maxName    = 100
	maxPreview = 80
)

// Prompt is what the user is shown. Its first three lines say for what mode and
// what command, for some clients show no more until the user asks. Facts come
// before texts of any length, so that nothing that the model wrote can push them
// away; each line that it wrote stands behind a bar or a name, with what does not
// print made visible. All but the question is indented, which to a client that
// renders Markdown is text to show as it is.
func Prompt(req sandbox.EscalationRequest) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Allow %s for this one command?\n\n", req.Mode)
	fmt.Fprintf(&b, "    command:    %s\n", Preview(req.Subject, maxPreview))
	wider := req.Policy
	wider.Mode = req.Mode
	fmt.Fprintf(&b, "    mode asked: %s\n", Meaning(wider))
	fmt.Fprintf(&b, "    mode now:   %s\n", Meaning(req.Policy))
	fmt.Fprintf(&b, "    directory:  %s\n", Visible(req.Dir))
	fmt.Fprintf(&b, "    asked by:   %s\n", Visible(Shorten(req.Caller, maxName)))
	b.WriteString("\nThe command in full:\n\n")
	b.WriteString(barred(req.Subject))
	b.WriteString("\nThe reason that is given:\n\n")
	b.WriteString(barred(Shorten(req.Justification, maxReason)))
	return b.String()
}

// Meaning is a policy in a few words.
func Meaning(policy sandbox.Policy) string {
	switch policy.Mode {
	case sandbox.ReadOnly:
		return "read-only (changes no file)"
	case sandbox.WorkspaceWrite:
		return fmt.Sprintf("workspace-write (may change files beneath %s and temporary ones)", Visible(policy.WorkspaceRoot))
	default:
		return string(policy.Mode) + " (not confined at all)"
	}
}

// barred returns each line of text behind a bar.
func barred(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString("    | " + Visible(line) + "\n")
	}
	return b.String()
}

// Visible escapes what does not print: control characters, line and paragraph
// separators, invisible characters, and those that turn the direction of text.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) && !isBlank(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}

// isBlank reports whether a character that counts as printable shows nothing, and
// yet is part of a word to a shell: it could push the rest out of sight.
func isBlank(r rune) bool {
	const braillePatternBlank = '\u2800'
	return r == braillePatternBlank || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Preview returns the first runes of a command, visible and in one line, and how
// many more there are: what is left out may be the command's point.
func Preview(command string, most int) string {
	shown := Visible(Shorten(command, most))
	if more := utf8.RuneCountInString(command) - most; more > 0 {
		shown += fmt.Sprintf(" (characters left out: %d)", more)
	}
	return shown
}

// Shorten returns the first runes of text, and says so if those are not all.
func Shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}
