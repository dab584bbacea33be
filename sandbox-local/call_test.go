package sandboxlocal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

// A directory is resolved as a whole would be, wherever the root of the
// workspace leads and whatever lies beneath it.
func TestResolveDir(t *testing.T) {
	base, err := sandbox.Canonical(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"w/sub/deep", "w/2", "w2", "elsewhere/x"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "w/file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"link": "w", "w/out": "../elsewhere/x", "w/in": "sub", "w/loop": "loop", "w/up": "..",
	} {
		if err := os.Symlink(target, filepath.Join(base, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	roots := []string{"/w", "/w/", "/link", "/w/../w", "/w/in/.."}
	rests := []string{
		"", "/", "/sub", "/sub/", "//sub/./deep", "/sub/..", "/..", "/out", "/out/..", "/in/deep", "/in/..",
		"/up", "/up/w2", "/file", "/file/x", "/loop", "/nope", "/nope/..", "2", "2/../w/out",
	}
	for _, root := range roots {
		workspace, err := sandbox.Canonical(base + root)
		if err != nil {
			t.Fatal(err)
		}
		for _, rest := range rests {
			dir := base + root + rest
			want, err := sandbox.Canonical(dir)
			if err != nil {
				want = filepath.Clean(dir)
			}
			if got, err := resolveDir(dir, base+root, workspace); err != nil || got != want {
				t.Errorf("%q with the root %q: %q, %v, want %q", dir, base+root, got, err, want)
			}
		}
	}
}

func TestResolveDirElsewhere(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := resolveDir("", "/", "/"); err != nil || got != here {
		t.Errorf("the working directory: %q, %v", got, err)
	}
	top, err := sandbox.Canonical(string(filepath.Separator))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := resolveDir(top, top, top); err != nil || got != top {
		t.Errorf("the root of the file system: %q, %v", got, err)
	}
	if _, err := resolveDir("sub", "/", "/"); !asError(err, new(*RequestError)) {
		t.Errorf("a relative directory: %v", err)
	}
}

func TestTemporaryArea(t *testing.T) {
	want, err := sandbox.Canonical("/tmp")
	if err != nil {
		t.Skip(err)
	}
	for _, roots := range [][]string{nil, {"/srv/w"}, {"/srv/w", want}} {
		if got := temporaryArea(roots); got != want {
			t.Errorf("%q: %q, want %q", roots, got, want)
		}
	}
}
