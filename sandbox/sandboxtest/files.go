package sandboxtest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What the suite's files hold.
const (
	content       = "kept"
	secondContent = "other"
)

// names are all that a trial has, or may come to have, behind its prefix.
var names = []string{"file", withSecond, withDir, withTree, "new"}

// Parts of a trial's victims beside the file.
const (
	withSecond = "second" // another file
	withDir    = "dir"    // an empty directory
	withTree   = "tree"   // a directory with a file
)

// populate makes the victims of a trial: the file, and what else is named.
func (v victim) populate(with []string) error {
	files := map[string]string{"file": content}
	for _, part := range with {
		if part != withSecond {
			if err := os.Mkdir(v.path(part), 0o755); err != nil {
				return err
			}
		}
		switch part {
		case withSecond:
			files[part] = secondContent
		case withTree:
			files[part+"/file"] = content
		}
	}
	for name, text := range files {
		if err := os.WriteFile(v.path(name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	keepXattr(v.path("file"))
	return nil
}

// observeFiles tells everything about the victims that an attempt could
// change, including that they were replaced. Reading does not change it:
// access times are left out, and so is what a node of the machine's holds.
func observeFiles(_ *ground, t *trial) string {
	if t.Fixed {
		return describeNode(t.Prefix)
	}
	var seen strings.Builder
	for _, name := range names {
		_ = filepath.WalkDir(t.path(name), func(path string, entry fs.DirEntry, err error) error {
			fmt.Fprintf(&seen, "%s: %s\n", strings.TrimPrefix(path, t.Prefix), describe(path))
			if entry != nil && entry.IsDir() && err != nil {
				return fs.SkipDir
			}
			return nil
		})
	}
	return seen.String()
}

// describe tells what there is at path.
func describe(path string) string {
	seen := describeNode(path)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		data, err := os.ReadFile(path)
		seen += fmt.Sprintf(" content %.40q %v", data, err)
	}
	return seen
}

// describeNode tells all but the content.
func describeNode(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return "absent"
	}
	return fmt.Sprintf("%v size %d mtime %d %s", info.Mode(), info.Size(), info.ModTime().UnixNano(), describeInode(path, info))
}

// difference names what changed between two observations.
func difference(before, after string) string {
	var changed []string
	old := strings.Split(before, "\n")
	for i, line := range strings.Split(after, "\n") {
		if i >= len(old) || old[i] != line {
			was := ""
			if i < len(old) {
				was = old[i]
			}
			changed = append(changed, fmt.Sprintf("%q became %q", was, line))
		}
	}
	return strings.Join(changed, ", ")
}
