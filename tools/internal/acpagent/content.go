package acpagent

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	acp "github.com/coder/acp-go-sdk"
)

// The reasons why a prompt is not understood.
var (
	errContent = errors.New("a prompt may hold text and links to resources, and nothing else")
	errEmpty   = errors.New("the prompt is empty")
)

// promptText returns the text of a prompt. In place of a link stands where it
// leads to, quoted: the text may be a command.
func promptText(blocks []acp.ContentBlock) (string, error) {
	var b strings.Builder
	for _, block := range blocks {
		switch {
		case block.Text != nil:
			b.WriteString(block.Text.Text)
		case block.ResourceLink != nil:
			b.WriteString(quoted(target(block.ResourceLink.Uri)))
		default:
			return "", errContent
		}
	}
	if strings.TrimSpace(b.String()) == "" {
		return "", errEmpty
	}
	return b.String(), nil
}

// target is the path that a link to a file has, and any other link itself.
func target(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" && u.Path != "" {
		return u.Path
	}
	return uri
}

// quoted returns text as one word of a shell.
func quoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// A client shows text as Markdown, and what a command printed is not.

// block returns text as a block of code, so that it is shown as it is.
func block(text string) string {
	fence := ticks(text, 3)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + "\n" + text + fence + "\n"
}

// inline returns one line of text as code.
func inline(text string) string {
	fence := ticks(text, 1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// ticks returns a fence that text cannot end, of that many backticks at least.
func ticks(text string, least int) string {
	longest, run := 0, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", max(least, longest+1))
}

// content is text as that of a tool call.
func content(format string, args ...any) []acp.ToolCallContent {
	return []acp.ToolCallContent{acp.ToolContent(acp.TextBlock(fmt.Sprintf(format, args...)))}
}
