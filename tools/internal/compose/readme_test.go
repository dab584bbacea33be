package compose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeNamesEveryKey holds the module's README, in both languages, to what
// is read.
func TestReadmeNamesEveryKey(t *testing.T) {
	for _, name := range []string{"README.md", "README.zh.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "```yaml\n")
		example, _, found := strings.Cut(rest, "```")
		if !found || parse(t, example).Policy.WorkspaceRoot == "" {
			t.Errorf("%s has no example of a policy", name)
		}
		for _, p := range parts {
			row := tableRow(string(text), p.id)
			for _, word := range append(p.keyNames(), p.modules...) {
				if !strings.Contains(row, "`"+word+"`") {
					t.Errorf("%s: the row of %s lacks %s: %q", name, p.id, word, row)
				}
			}
		}
	}
}

// tableRow returns the row of a table that begins with a word of code.
func tableRow(text, first string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| `"+first+"` |") {
			return line
		}
	}
	return ""
}
