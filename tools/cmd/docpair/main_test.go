package main

import (
	"io"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/treetest"
)

func checkout(t *testing.T) {
	t.Helper()
	root := t.TempDir()
	treetest.Write(t, root, map[string]string{
		"go.work":        "go 1.26\n",
		"README.md":      "# A\n\nEnglish | [中文](README.zh.md)\n",
		"README.zh.md":   "# 甲\n\n[English](README.md) | 中文\n",
		"docs/a.md":      "# A\n\nEnglish | [中文](a.zh.md)\n",
		"docs/a.zh.md":   "# 甲\n\n[English](a.md) | 中文\n",
		"docs/deep/x.go": "",
	})
	t.Chdir(root)
}

func TestConfirming(t *testing.T) {
	checkout(t)
	for _, step := range []struct {
		args string
		code int
		want string
	}{
		{"", 1, "2 documents, 2 problems\n"},
		{"--write README.md", 0, "confirmed README\n"},
		{"", 1, "1 problems\n"},
		{"--list", 0, "README                           confirmed\ndocs/a "},
		{"--write docs/a", 0, "confirmed docs/a\n"},
		{"", 0, "2 documents, 0 problems\n"},
		{"--write docs/none", 1, "docs/none.md: siblings: does not exist"},
	} {
		var out strings.Builder
		if code := run(strings.Fields(step.args), &out, &out); code != step.code || !strings.Contains(out.String(), step.want) {
			t.Errorf("docpair %s: exit status %d, and\n%s", step.args, code, out.String())
		}
	}
}

// A name is relative to where the user is.
func TestFromBelow(t *testing.T) {
	checkout(t)
	t.Chdir("docs/deep")
	if code := run([]string{"--write", "../a.zh.md"}, io.Discard, io.Discard); code != 0 {
		t.Error(code)
	}
}

// There is no way to confirm everything at once.
func TestUsage(t *testing.T) {
	checkout(t)
	for _, args := range []string{"--write", "README.md", "--list README.md", "--write --list README.md", "--nope"} {
		if code := run(strings.Fields(args), io.Discard, io.Discard); code != 2 {
			t.Errorf("docpair %s: exit status %d", args, code)
		}
	}
	t.Chdir(t.TempDir())
	if code := run(nil, io.Discard, io.Discard); code != 2 {
		t.Errorf("outside a checkout: exit status %d", code)
	}
}
