package rules

import (
	"bytes"
	"context"
	"errors"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// folders: beside the modules there are three folders and no more.
func folders(ctx context.Context, tree *workspace.Workspace) ([]Violation, error) {
	top, err := topFolders(ctx, tree.Root)
	if err != nil {
		return nil, err
	}
	known := []string{"docs", ".github", ".ci"}
	for _, m := range tree.Modules {
		known = append(known, m.Name)
	}
	var all []Violation
	for _, name := range top {
		if !slices.Contains(known, name) {
			all = append(all, violation(name, "is neither a module nor one of docs, .github and .ci"))
		}
	}
	return all, nil
}

// topFolders asks git, which knows what is ignored. A checkout without a
// repository, such as an unpacked archive, has nothing that is to be ignored.
func topFolders(ctx context.Context, root string) ([]string, error) {
	var top []string
	if _, err := os.Stat(filepath.Join(root, ".git")); errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(root)
		for _, e := range entries {
			if e.IsDir() {
				top = append(top, e.Name())
			}
		}
		return top, err
	}
	out, err := gotool.Cmd{Dir: root}.Git(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for file := range strings.SplitSeq(out, "\x00") {
		if folder, _, nested := strings.Cut(file, "/"); nested && !slices.Contains(top, folder) {
			top = append(top, folder)
		}
	}
	return top, err
}

// formatting: every file is as gofmt leaves it.
func formatting(_ context.Context, tree *workspace.Workspace) ([]Violation, error) {
	var all []Violation
	for _, m := range tree.Modules {
		err := filepath.WalkDir(m.Dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			formatted, err := format.Source(source)
			relative := m.Name + strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(m.Dir))
			switch {
			case err != nil:
				all = append(all, violation(relative, "cannot be parsed: %v", err))
			case !bytes.Equal(source, formatted):
				all = append(all, violation(relative, "is not formatted; run gofmt -w"))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
