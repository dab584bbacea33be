package deps

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestAllowedParses(t *testing.T) {
	list, err := Allowed()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Module == "sandbox" || e.Module == "bash" {
			t.Errorf("a seam may depend on nothing: %+v", e)
		}
	}
}

func TestParse(t *testing.T) {
	list, err := Parse("# why\n\nbash-local  example.com/x   it is  good\n")
	if err != nil || !slices.Equal(list, List{{"bash-local", "example.com/x", "it is good"}}) {
		t.Errorf("%v, %v", list, err)
	}
	var syntax *SyntaxError
	if _, err := Parse("a b c\na example.com/x\n"); !errors.As(err, &syntax) || syntax.Line != 2 {
		t.Errorf("no reason: %v", err)
	}
}

var list = List{{"a", "example.com/x", "for a"}, {"b", "example.com/y", "for b"}}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		module   string
		required []string
		want     string
	}{
		{"a", []string{"example.com/x"}, ""},
		{"a", []string{"example.com/x", "example.com/y"}, "requires example.com/y"},
		{"a", nil, "does not require example.com/x"},
		{"c", nil, ""},
	} {
		broken := list.Compare(test.module, test.required)
		if test.want == "" && len(broken) > 0 || test.want != "" && (len(broken) != 1 || !strings.HasPrefix(broken[0], test.want)) {
			t.Errorf("%s requires %v: %q", test.module, test.required, broken)
		}
	}
}

func TestComparePage(t *testing.T) {
	const head = "# Dependencies\n\n| Module | Dependency | Why |\n|---|---|---|\n"
	const good = head + "| `a` | `example.com/x` | for a |\n| `b` | `example.com/y` | for b |\n"
	for _, test := range []struct {
		name, page string
		sameWords  bool
		want       []string
	}{
		{"the same", good, true, nil},
		{"other words", strings.ReplaceAll(good, "for b", "因为"), true, []string{"gives another reason why b requires example.com/y"}},
		{"other words are a translation", strings.ReplaceAll(good, "for b", "因为"), false, nil},
		{"a row too few", head + "| `a` | `example.com/x` | for a |\n", true, []string{"does not show that b requires example.com/y"}},
		{"a row too many", good + "| `c` | `example.com/z` | for c |\n", true, []string{"shows that c requires example.com/z, which is not allowed"}},
	} {
		if got := list.ComparePage(test.page, test.sameWords); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}
