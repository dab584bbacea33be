package rules

import (
	"strings"
	"testing"
)

func TestIncludes(t *testing.T) {
	const source = "bash-local/testdata/table.md"
	page := func(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
	begin := "<!-- begin " + source + " -->"
	tests := []struct {
		name, page, broken string
	}{
		{"equal", page("# x", begin, "| a |", "| b |", includeEnd, "y"), ""},
		{"changed", page(begin, "| a |", "| c |", includeEnd), "is not what that file holds"},
		{"a line too many", page(begin, "| a |", "| b |", "", includeEnd), "is not what that file holds"},
		{"not ended", page(begin, "| a |", "| b |"), "has no line"},
		{"no such file", page("<!-- begin nope.md -->", includeEnd), "nope.md"},
		{"mentioned only", page("write " + begin + " there"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			broken := checkTree(t, map[string]string{source: "| a |\n| b |\n", "docs/page.md": tt.page}, nil)
			if (len(broken) > 0) != (tt.broken != "") {
				t.Fatalf("broken: %v", broken)
			}
			if tt.broken != "" && (broken[0].Where != "docs/page.md" || !strings.Contains(broken[0].Broken, tt.broken)) {
				t.Errorf("broken: %v", broken[0])
			}
		})
	}
}
