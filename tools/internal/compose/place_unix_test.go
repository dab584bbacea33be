//go:build unix

package compose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/treetest"
)

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func TestAFileThatOthersMayChangeIsRefused(t *testing.T) {
	dir := treetest.OutsideTemp(t)
	above := filepath.Join(dir, "above")
	within := filepath.Join(above, "within")
	if err := os.MkdirAll(within, 0o700); err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(within, "dsh.yaml"), "")
	link := filepath.Join(dir, "link.yaml")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		mode os.FileMode
		ok   bool
	}{
		{file, 0o644, true},
		{file, 0o664, false},
		{file, 0o602, false},
		{within, 0o755, true},
		{within, 0o775, false},
		{above, 0o757, false},
		{above, 0o777 | os.ModeSticky, true}, // there others cannot touch what is not theirs
		{dir, 0o770, false},
	} {
		before, err := os.Stat(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		chmod(t, tt.name, tt.mode)
		for _, path := range []string{file, link} {
			_, err = Load(path)
			remedy := "run chmod go-w " + tt.name
			if (err == nil) != tt.ok || (err != nil && !strings.Contains(err.Error(), remedy)) {
				t.Errorf("%s with %v: %v", path, tt.mode, err)
			}
		}
		chmod(t, tt.name, before.Mode())
	}
}

func TestAFileOfAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to somebody else")
	}
	dir := filepath.Join(treetest.OutsideTemp(t), "dir")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(dir, "dsh.yaml"), "")
	for _, name := range []string{file, dir} {
		if err := os.Chown(name, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file); err == nil || !strings.Contains(err.Error(), name+" belongs to another user (12345)") {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Chown(name, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(file); err != nil {
		t.Error(err)
	}
}

// TestALinkThatOthersMayTurnIsRefused has the file behind two links, of which
// only the one in the middle is within another user's reach.
func TestALinkThatOthersMayTurnIsRefused(t *testing.T) {
	dir := treetest.OutsideTemp(t)
	public := filepath.Join(dir, "public")
	if err := os.Mkdir(public, 0o700); err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(dir, "dsh.yaml"), "")
	middle, first := filepath.Join(public, "middle"), filepath.Join(dir, "first")
	for link, to := range map[string]string{middle: file, first: middle} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	chmod(t, public, 0o777)
	if _, err := Load(first); err == nil || !strings.Contains(err.Error(), "run chmod go-w "+public) {
		t.Errorf("in a directory that others may write: %v", err)
	}
	chmod(t, public, 0o777|os.ModeSticky)
	if _, err := Load(first); err != nil {
		t.Errorf("a link of one's own in a sticky directory: %v", err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a link to somebody else")
	}
	if err := os.Lchown(middle, 12345, -1); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{first, middle} {
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), middle+" belongs to another user (12345)") {
			t.Errorf("somebody else's link in a sticky directory: %v", err)
		}
	}
}

func TestKey(t *testing.T) {
	dir := treetest.OutsideTemp(t)
	good := write(t, filepath.Join(dir, "good"), " secret-key \n")
	open := write(t, filepath.Join(dir, "open"), "secret-key")
	chmod(t, open, 0o640)
	t.Setenv("DSH_TEST_KEY", "secret-key")
	t.Setenv("DSH_TEST_TWO", "secret-key another")
	for _, tt := range []struct {
		agent Agent
		key   string
		err   string
	}{
		{Agent{}, "", ""},
		{Agent{KeyEnv: "DSH_TEST_KEY"}, "secret-key", ""},
		{Agent{KeyFile: good}, "secret-key", ""},
		{Agent{KeyEnv: "DSH_TEST_NONE"}, "", "key-env: the variable DSH_TEST_NONE is not set"},
		{Agent{KeyEnv: "DSH_TEST_TWO"}, "", "key-env: DSH_TEST_TWO does not hold one key and nothing else"},
		{Agent{KeyFile: open}, "", "can be read or written by others (mode 0640); run chmod 600 " + open},
		{Agent{KeyFile: filepath.Join(dir, "none")}, "", "key-file: stat "},
		{Agent{KeyFile: dir}, "", "is not a regular file"},
		{Agent{KeyFile: write(t, filepath.Join(dir, "empty"), "\n")}, "", "empty is empty"},
		{Agent{KeyFile: write(t, filepath.Join(dir, "two"), "secret-key\nanother")}, "", "does not hold one key"},
		{Agent{KeyFile: write(t, filepath.Join(dir, "long"), strings.Repeat("k", maxKey+1))}, "", "is longer than"},
	} {
		key, err := tt.agent.Key()
		switch {
		case tt.err == "" && (err != nil || key != tt.key):
			t.Errorf("%+v: %q, %v", tt.agent, key, err)
		case tt.err != "" && (err == nil || key != "" || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "secret-key")):
			t.Errorf("%+v: %q, %v; want %s", tt.agent, key, err, tt.err)
		}
	}
}
