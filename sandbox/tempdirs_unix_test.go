//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestPerUserTempGoesByOwner(t *testing.T) {
	folders := canonicalTempDir(t)
	mine := filepath.Join(folders, "zz", "abc", "T")
	if err := os.MkdirAll(mine, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(folders, "zz", "abc", "C"), 0o700); err != nil {
		t.Fatal(err)
	}
	decoy := filepath.Join(folders, "zz", "link")
	if err := os.Mkdir(decoy, 0o700); err != nil {
		t.Fatal(err)
	}
	symlink(t, "/", filepath.Join(decoy, "T"))
	if got := perUserTemp(folders, os.Getuid()); !slices.Equal(got, []string{mine}) {
		t.Errorf("mine: %q", got)
	}
	if got := perUserTemp(folders, os.Getuid()+1); len(got) != 0 {
		t.Errorf("another user's: %q", got)
	}
}
