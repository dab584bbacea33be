package docpair

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/treetest"
)

const english = `# Title

English | [中文](guide.zh.md)

See [the other page](../README.md), [a heading](../README.md#the-reason) and <https://example.org/>.

## First

- one
- two
  1. nested

> quoted

` + "```sh\necho hello\n```" + `

| a | b |
|---|---|
| 1 | 2 |

## Second

[Up](#first), ![picture](p.svg).
`

const chinese = `# 标题

[English](guide.md) | 中文

先看 <https://example.org/>，再看[某一节](../README.zh.md#理由)和[另一页](../README.zh.md)。

## 第一节

- 一
- 二
  1. 嵌套

> 引文

` + "```sh\necho hello\n```" + `

| 甲 | 乙 |
|---|---|
| 1 | 2 |

## 第二节

[回到上面](#第一节)，![图](p.svg)。
`

// pairedTree is a checkout with two documents that are in order.
func pairedTree(t *testing.T) Tree {
	t.Helper()
	tree := Tree{Root: t.TempDir()}
	treetest.Write(t, tree.Root, map[string]string{
		"README.md":        "# Read me\n\nEnglish | [中文](README.zh.md)\n\n## The reason\n",
		"README.zh.md":     "# 说明\n\n[English](README.md) | 中文\n\n## 理由\n",
		"docs/guide.md":    english,
		"docs/guide.zh.md": chinese,
		"docs/p.svg":       "<svg/>",
	})
	for _, p := range []Pair{"README", "docs/guide"} {
		if err := tree.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

func TestInOrder(t *testing.T) {
	pairs, problems, err := pairedTree(t).Check()
	if err != nil || len(problems) > 0 || !slices.Equal(pairs, []Pair{"README", "docs/guide"}) {
		t.Fatal(pairs, problems, err)
	}
}

// Every rule, broken in one place. The record is renewed as somebody would who
// does not look, so that nothing but the rule itself can be red.
func TestEveryRule(t *testing.T) {
	const en, zh = "docs/guide.md", "docs/guide.zh.md"
	for _, test := range []struct {
		name, file, old, new string
		rule                 Rule
	}{
		{"no switcher", en, "English | [中文](guide.zh.md)\n\n", "", RuleSwitcher},
		{"a switcher to another page", zh, "[English](guide.md) |", "[English](../README.md) |", RuleSwitcher},
		{"a switcher not under the title", zh, "# 标题\n", "# 标题\n\n先说一句。\n", RuleSwitcher},
		{"text before the title", en, "# Title", "Before.\n\n# Title", RuleSwitcher},
		{"a title of the second level", en, "# Title", "## Title", RuleSwitcher},
		{"the language's own name is a link", en, "English | [", "[English](guide.md) | [", RuleSwitcher},
		{"a heading of another level", zh, "## 第二节", "### 第二节", RuleHeading},
		{"a heading less", zh, "## 第二节\n", "", RuleHeading},
		{"a heading more", zh, "## 第二节", "## 多余\n\n## 第二节", RuleHeading},
		{"a code block changed", zh, "echo hello", "echo 你好", RuleCode},
		{"a space in a code block", en, "echo hello", "echo hello ", RuleCode},
		{"another language of code", zh, "```sh", "```bash", RuleCode},
		{"a code block became text", zh, "```sh\necho hello\n```", "echo hello", RuleTable},
		{"a row less", zh, "| 1 | 2 |\n", "", RuleTable},
		{"a column more", zh, "| 甲 | 乙 |\n|---|---|", "| 甲 | 乙 | 丙 |\n|---|---|---|", RuleTable},
		{"an item less", zh, "- 二\n  1. 嵌套\n", "", RuleList},
		{"an item more", en, "- two\n", "- two\n- three\n", RuleList},
		{"another kind of list", zh, "  1. 嵌套", "  - 嵌套", RuleList},
		{"numbered otherwise", zh, "  1. 嵌套", "\n  2. 嵌套", RuleList},
		{"no longer nested", zh, "  1. 嵌套", "\n1. 嵌套", RuleList},
		{"no quotation", zh, "> 引文", "引文", RuleCode},
		{"another target", zh, "https://example.org/", "https://example.com/", RuleLink},
		{"a link less", zh, "[另一页](../README.zh.md)", "另一页", RuleLink},
		{"the other language's page", zh, "[另一页](../README.zh.md)", "[另一页](../README.md)", RuleLink},
		{"the other language's page, from English", en, "page](../README.md)", "page](../README.zh.md)", RuleLink},
		{"a page that does not exist", en, "page](../README.md)", "page](../NONE.md)", RuleLink},
		{"a page outside", en, "page](../README.md)", "page](../../README.md)", RuleLink},
		{"a heading that does not exist", en, "(#first)", "(#third)", RuleLink},
		{"another heading", en, "(#first)", "(#second)", RuleLink},
		{"another picture", zh, "![图](p.svg)", "![图](../README.zh.md)", RuleLink},
		{"a link in another section", zh, "[回到上面](#第一节)，", "", RuleLink},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := pairedTree(t)
			replace(t, tree, test.file, test.old, test.new)
			renewRecord(t, tree, "docs/guide")
			_, problems, err := tree.Check()
			red := slices.ContainsFunc(problems, func(p Problem) bool { return p.Rule == test.rule && p.Line > 0 })
			if err != nil || !red {
				t.Fatal(problems, err)
			}
			var refused *UnconfirmableError
			if err := tree.Write("docs/guide"); !errors.As(err, &refused) || !slices.Equal(refused.Problems, problems) {
				t.Errorf("--write: %v", err)
			}
		})
	}
}

func TestRecord(t *testing.T) {
	const record = "docs/guide.i18n.yaml"
	for _, test := range []struct {
		name, file, old, new string
		rule                 Rule
	}{
		{"the English changed", "docs/guide.md", "See", "Look at", RuleHash},
		{"the Chinese changed", "docs/guide.zh.md", "先看", "首先看", RuleHash},
		{"another hash", record, BlobHash([]byte(english)), strings.Repeat("0", 40), RuleHash},
		{"no command", record, "go run", "run", RuleRecord},
		{"another name", record, "guide.zh.md", "guide.fr.md", RuleRecord},
		{"no hash", record, BlobHash([]byte(english)), "", RuleRecord},
		{"a line more", record, "# Both", "x: y\n# Both", RuleRecord},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := pairedTree(t)
			replace(t, tree, test.file, test.old, test.new)
			_, problems, err := tree.Check()
			if err != nil || len(problems) != 1 || problems[0].Rule != test.rule || problems[0].File != record {
				t.Fatal(problems, err)
			}
			if !strings.HasSuffix(problems[0].Text, "go run ./tools/cmd/docpair --write docs/guide.md") {
				t.Error("does not say what to do:", problems[0])
			}
		})
	}
}

func TestSiblings(t *testing.T) {
	for _, name := range []string{"docs/guide.md", "docs/guide.zh.md", "docs/guide.i18n.yaml"} {
		t.Run(name, func(t *testing.T) {
			tree := pairedTree(t)
			if err := os.Remove(tree.path(name)); err != nil {
				t.Fatal(err)
			}
			_, problems, err := tree.Check()
			if err != nil || len(problems) != 1 || problems[0].Rule != RuleSiblings || problems[0].File != name {
				t.Fatal(problems, err)
			}
		})
	}
}

// Confirming one document says nothing about another.
func TestWriteTouchesOnePair(t *testing.T) {
	tree := pairedTree(t)
	replace(t, tree, "docs/guide.md", "See", "Look at")
	replace(t, tree, "README.md", "Read me", "Read this")
	if err := tree.Write("docs/guide"); err != nil {
		t.Fatal(err)
	}
	_, problems, err := tree.Check()
	if err != nil || len(problems) != 1 || problems[0].File != "README.i18n.yaml" {
		t.Fatal(problems, err)
	}
}

func TestBlobHash(t *testing.T) {
	// As `git hash-object` prints them.
	for content, want := range map[string]string{
		"":        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
		"hello\n": "ce013625030ba8dba906f756967f9e9ca394464a",
	} {
		if got := BlobHash([]byte(content)); got != want {
			t.Errorf("%q: %s", content, got)
		}
	}
}

func replace(t *testing.T, tree Tree, name, old, new string) {
	t.Helper()
	content, err := os.ReadFile(tree.path(name))
	if err != nil || !strings.Contains(string(content), old) {
		t.Fatalf("%s has no %q: %v", name, old, err)
	}
	treetest.Write(t, tree.Root, map[string]string{name: strings.Replace(string(content), old, new, 1)})
}

func renewRecord(t *testing.T, tree Tree, p Pair) {
	t.Helper()
	hash := func(name string) string {
		content, err := os.ReadFile(filepath.Join(tree.Root, name))
		if err != nil {
			t.Fatal(err)
		}
		return BlobHash(content)
	}
	treetest.Write(t, tree.Root, map[string]string{p.Record(): recordText(p, hash(p.English()), hash(p.Chinese()))})
}
