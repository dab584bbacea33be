package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// An include is a part of a document that a test of a module generated: the
// lines between these two hold exactly the named file.
var (
	includeBegin = regexp.MustCompile(`^<!-- begin (\S+) -->$`)
	includeEnd   = "<!-- end -->"
)

// includes compares the generated parts of the documents with the files that
// they were copied from.
func includes(tree *workspace.Workspace) []Violation {
	pages, err := filepath.Glob(filepath.Join(tree.Root, "docs", "*.md"))
	if err != nil {
		return []Violation{violation("docs", "%v", err)}
	}
	var all []Violation
	for _, page := range pages {
		name := "docs/" + filepath.Base(page)
		text, err := os.ReadFile(page)
		if err != nil {
			all = append(all, violation(name, "%v", err))
			continue
		}
		all = append(all, pageIncludes(tree.Root, name, string(text))...)
	}
	return all
}

func pageIncludes(root, name, text string) []Violation {
	var all []Violation
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		begin := includeBegin.FindStringSubmatch(lines[i])
		if begin == nil {
			continue
		}
		var held []string
		for i++; i < len(lines) && lines[i] != includeEnd; i++ {
			held = append(held, lines[i])
		}
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(begin[1])))
		switch {
		case err != nil:
			all = append(all, violation(name, "%v", err))
		case i == len(lines):
			all = append(all, violation(name, "the part from %s has no line %q", begin[1], includeEnd))
		case strings.Join(held, "\n") != strings.TrimSuffix(string(source), "\n"):
			all = append(all, violation(name, "the part from %s is not what that file holds", begin[1]))
		}
	}
	return all
}
