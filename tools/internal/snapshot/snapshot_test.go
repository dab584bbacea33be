package snapshot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/treetest"
)

// checkout makes a repository with one committed file, one that is not
// committed, and one that is ignored.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	treetest.Write(t, dir, map[string]string{"committed": "old\n", ".gitignore": "ignored\n"})
	treetest.Commit(t, dir)
	treetest.Write(t, dir, map[string]string{"committed": "new\n", "uncommitted": "", "ignored": ""})
	return dir
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func TestTakeTheWorkingTree(t *testing.T) {
	from := checkout(t)
	before, err := gotool.Cmd{Dir: from}.Git(t.Context(), "status", "--porcelain")
	if err != nil {
		t.Fatal(err)
	}
	// A hook runs with these set; the snapshot must not land in its repository.
	t.Setenv("GIT_INDEX_FILE", filepath.Join(from, ".git", "index"))
	s, err := Take(t.Context(), from, "", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, s.Dir); got != ".git .gitignore committed uncommitted" {
		t.Errorf("the snapshot has %s", got)
	}
	if content, _ := os.ReadFile(filepath.Join(s.Dir, "committed")); string(content) != "new\n" {
		t.Errorf("committed: %q", content)
	}
	if !strings.HasSuffix(s.Of, "and what is not committed yet") {
		t.Errorf("of %s", s.Of)
	}
	after, err := gotool.Cmd{Dir: from}.Git(t.Context(), "status", "--porcelain")
	if err != nil || after != before {
		t.Errorf("the checkout changed from %q to %q (%v)", before, after, err)
	}
}

func TestTakeARevision(t *testing.T) {
	s, err := Take(t.Context(), checkout(t), "HEAD", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, s.Dir); got != ".git .gitignore committed" {
		t.Errorf("the snapshot has %s", got)
	}
	if content, _ := os.ReadFile(filepath.Join(s.Dir, "committed")); string(content) != "old\n" {
		t.Errorf("committed: %q", content)
	}
	if strings.Contains(s.Of, " ") {
		t.Errorf("of %s", s.Of)
	}
	if err := s.Tag(t.Context(), "sandbox/v0.1.0"); err != nil {
		t.Error(err)
	}
}

func TestTakeFails(t *testing.T) {
	if _, err := Take(t.Context(), checkout(t), "no-such-revision", filepath.Join(t.TempDir(), "s")); err == nil {
		t.Error("a revision that does not exist was taken")
	}
	if _, err := Take(t.Context(), t.TempDir(), "", filepath.Join(t.TempDir(), "s")); err == nil {
		t.Error("a directory without a repository was taken")
	}
}
