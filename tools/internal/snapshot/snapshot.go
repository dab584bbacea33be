// Package snapshot makes a clean commit of a checkout, in a repository of its
// own, without touching the checkout.
package snapshot

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/gotool"
)

// Snapshot is a repository with one commit whose files are checked out.
type Snapshot struct {
	// Dir is the repository's directory.
	Dir string
	// Of names what was taken: a commit of the checkout, and whether the
	// working tree differed from it.
	Of string
}

// Take makes a snapshot in dir, which it creates. A revision is taken as it
// was committed; "" means the working tree, ignored files left out.
//
// The commit has no parent, so that a shallow checkout will do. Objects are
// borrowed from the checkout, which must outlive the snapshot.
func Take(ctx context.Context, checkout, revision, dir string) (*Snapshot, error) {
	t := &taker{ctx: ctx, checkout: checkout, dir: dir}
	t.borrow()
	commit := t.there("rev-parse", "--verify", cmp.Or(revision, "HEAD")+"^{commit}")
	of := commit
	t.here("read-tree", commit)
	if revision == "" {
		t.here("--work-tree="+checkout, "add", "--all", checkout)
	}
	tree := t.here("write-tree")
	if tree != t.there("rev-parse", commit+"^{tree}") {
		of += " and what is not committed yet"
	}
	t.here("update-ref", "HEAD", t.here("commit-tree", "-m", "Snapshot", tree))
	t.here("checkout-index", "--all")
	return &Snapshot{Dir: dir, Of: of}, t.err
}

// Tag gives the snapshot's commit a name.
func (s *Snapshot) Tag(ctx context.Context, name string) error {
	t := &taker{ctx: ctx, dir: s.Dir}
	t.here("tag", name)
	return t.err
}

// taker carries the first error from one git command to the next.
type taker struct {
	ctx           context.Context
	checkout, dir string
	err           error
}

// borrow creates the repository over the checkout's objects.
func (t *taker) borrow() {
	objects := t.there("rev-parse", "--path-format=absolute", "--git-path", "objects")
	info := filepath.Join(t.dir, ".git", "objects", "info")
	t.do(func() error { return os.Mkdir(t.dir, 0o755) })
	t.here("init", "--quiet", "--template=", "--initial-branch=main")
	t.do(func() error { return os.MkdirAll(info, 0o755) })
	t.do(func() error { return os.WriteFile(filepath.Join(info, "alternates"), []byte(objects+"\n"), 0o644) })
}

// there runs git in the checkout.
func (t *taker) there(args ...string) string { return t.git(gotool.Cmd{Dir: t.checkout}, args) }

// here runs git in the snapshot, whatever repository the environment names (a
// hook's does) and however the user has configured git.
func (t *taker) here(args ...string) string {
	gitDir := filepath.Join(t.dir, ".git")
	return t.git(gotool.Cmd{Dir: t.dir, Env: []string{
		"GIT_DIR=" + gitDir, "GIT_INDEX_FILE=" + filepath.Join(gitDir, "index"), "GIT_WORK_TREE=" + t.dir,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=rehearsal", "GIT_AUTHOR_EMAIL=rehearsal@localhost",
		"GIT_COMMITTER_NAME=rehearsal", "GIT_COMMITTER_EMAIL=rehearsal@localhost",
	}}, args)
}

func (t *taker) git(cmd gotool.Cmd, args []string) (out string) {
	t.do(func() (err error) {
		out, err = cmd.Git(t.ctx, args...)
		return err
	})
	return strings.TrimSpace(out)
}

func (t *taker) do(step func() error) {
	if t.err != nil {
		return
	}
	if err := step(); err != nil {
		t.err = fmt.Errorf("snapshot: %w", err)
	}
}
