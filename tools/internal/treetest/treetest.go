// Package treetest makes directories and small checkouts for tests.
package treetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/gotool"
)

// OutsideTemp returns a directory of the test's own, canonical and the user's
// alone, that is not in the temporary area: a confined command can see it, and
// write to it only as its workspace.
func OutsideTemp(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(cache, "dsh-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	canonical, err := sandbox.Canonical(dir)
	if err != nil {
		t.Fatal(err)
	}
	return canonical
}

// Write writes files, named with slashes and relative to root.
func Write(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Commit commits everything below root, and makes it a repository first.
func Commit(t testing.TB, root string) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A"},
		{"-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "-q", "--allow-empty", "-m", "Test"},
	} {
		if _, err := (gotool.Cmd{Dir: root}).Git(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
}
