package docpair

import (
	"errors"
	"slices"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/treetest"
)

func TestScope(t *testing.T) {
	tree := Tree{Root: t.TempDir()}
	files := map[string]string{}
	for _, name := range []string{
		"SECURITY.md", "LICENSE", "docs/a.md", "docs/deep/b.md", "docs/p.svg",
		"m/README.md", "m/deep/README.zh.md", "m/notes.md", "m/half.zh.md", "m/record.i18n.yaml",
		"m/testdata/README.md", ".git/README.md", ".github/README.md",
	} {
		files[name] = ""
	}
	treetest.Write(t, tree.Root, files)
	want := []Pair{".github/README", "SECURITY", "docs/a", "docs/deep/b", "m/README", "m/deep/README", "m/half", "m/record"}
	if got, problems, err := tree.Pairs(); err != nil || len(problems) > 0 || !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q\n%v %v", got, want, problems, err)
	}
}

func TestExclusions(t *testing.T) {
	tree := pairedTree(t)
	treetest.Write(t, tree.Root, map[string]string{"docs/log.md": "# Log\n"})
	var err error
	tree.Exclusions, err = ParseExclusions("# comment\n\ndocs/log.md generated,  by nobody\ndocs/gone.md was here\n")
	if err != nil || tree.Exclusions[0] != (Exclusion{"docs/log", "generated,  by nobody"}) {
		t.Fatal(tree.Exclusions, err)
	}
	_, problems, err := tree.Check()
	if err != nil || len(problems) != 1 || problems[0].Rule != RuleExclusion || problems[0].File != "docs/gone.md" {
		t.Error(problems, err)
	}
	if err := tree.Write("docs/log"); !errors.Is(err, ErrExcluded) {
		t.Errorf("--write: %v", err)
	}
	// Both languages may lead to a document that has one text.
	replace(t, tree, "docs/guide.md", "(../README.md)", "(log.md)")
	replace(t, tree, "docs/guide.zh.md", "(../README.zh.md)", "(log.md)")
	if err := tree.Write("docs/guide"); err != nil {
		t.Error(err)
	}
}

// A document out of scope that has two languages is still one of two.
func TestPairedOutOfScope(t *testing.T) {
	tree := pairedTree(t)
	treetest.Write(t, tree.Root, map[string]string{"m/notes.md": "# Notes\n", "m/notes.zh.md": "# 笔记\n"})
	replace(t, tree, "docs/guide.md", "(../README.md)", "(../m/notes.md)")
	replace(t, tree, "docs/guide.zh.md", "(../README.zh.md)", "(../m/notes.md)")
	var refused *UnconfirmableError
	if err := tree.Write("docs/guide"); !errors.As(err, &refused) || refused.Problems[0].Rule != RuleLink {
		t.Error(err)
	}
	replace(t, tree, "docs/guide.zh.md", "(../m/notes.md)", "(../m/notes.zh.md)")
	if err := tree.Write("docs/guide"); err != nil {
		t.Error(err)
	}
}

func TestParseExclusions(t *testing.T) {
	for _, text := range []string{"docs/log.md\n", "docs/log.md  \n", "docs/log generated\n"} {
		var syntax *SyntaxError
		if _, err := ParseExclusions("# fine\n" + text); !errors.As(err, &syntax) || syntax.Line != 2 {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Open("."); err != nil {
		t.Error(err)
	}
}

func TestPairOf(t *testing.T) {
	for _, name := range []string{"docs/a", "docs/a.md", "./docs/a.zh.md", "docs/../docs/a.i18n.yaml"} {
		if got := PairOf(name); got != "docs/a" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAnchor(t *testing.T) {
	before := []string{"limits"}
	for heading, want := range map[string]string{
		"The API report":         "the-api-report",
		"`read-only`: what, why": "read-only-what-why",
		"已知的限制":                  "已知的限制",
		"模式（mode）":               "模式mode",
		"Limits":                 "limits-1",
	} {
		if got := anchor(heading, before); got != want {
			t.Errorf("%s: %s", heading, got)
		}
	}
}
