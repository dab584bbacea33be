package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// A failure may have printed anything; what is shown of it is bounded, by
// lines and by the bytes of each.
const (
	maxLines = 400
	maxWidth = 500
)

func (s *session) report(name string, st status, took time.Duration, fact, detail string) {
	line := fmt.Sprintf("%-5s %-10s %6.1fs  %s", st, name, took.Seconds(), fact)
	fmt.Fprintln(s.stdout, strings.TrimRight(line, " "))
	if detail != "" {
		fmt.Fprintln(s.stdout, "      "+strings.ReplaceAll(shorten(detail), "\n", "\n      "))
	}
}

// shorten leaves out the middle of a long text and the end of a long line.
func shorten(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if gone := len(lines) - maxLines; gone > 0 {
		plural := "s"
		if gone == 1 {
			plural = ""
		}
		middle := fmt.Sprintf("… %d line%s left out …", gone, plural)
		lines = slices.Concat(lines[:maxLines/2], []string{middle}, lines[len(lines)-maxLines/2:])
	}
	for i, line := range lines {
		if len(line) > maxWidth {
			lines[i] = strings.ToValidUTF8(line[:maxWidth], "") + "…"
		}
	}
	return strings.Join(lines, "\n")
}

// summarize prints the closing line and reports whether nothing failed.
func summarize(w io.Writer, results []status) bool {
	count := map[status]int{}
	for _, st := range results {
		count[st]++
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", count[passed], count[failed], count[skipped])
	return count[failed] == 0
}
