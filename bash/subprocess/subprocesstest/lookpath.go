package subprocesstest

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh/bash/subprocess"
)

var lookPathTests = []test{
	{"the first executable on the PATH is found", lookPathFinds},
	{"relative entries of the PATH are not searched", lookPathRelative},
	{"what is not there or not executable is not found", lookPathMisses},
}

// programs makes a directory with an executable "tool", a file "plain" that is
// none and a directory "folder".
func (f *fixture) programs() string {
	f.Helper()
	dir := f.TempDir()
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "plain": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), mode); err != nil {
			f.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		f.Fatal(err)
	}
	return dir
}

func (f *fixture) lookPath(name, path string) (string, error) {
	return f.service.LookPath(context.Background(), name, map[string]string{"PATH": path})
}

func lookPathFinds(f *fixture) {
	first, second := f.programs(), f.programs()
	if got, err := f.lookPath("tool", "/no/such:"+first+":"+second); got != filepath.Join(first, "tool") {
		f.Errorf("LookPath = %q, %v", got, err)
	}
	if got, err := f.lookPath(filepath.Join(second, "tool"), first); got != filepath.Join(second, "tool") {
		f.Errorf("LookPath of an absolute name = %q, %v", got, err)
	}
	f.Setenv("PATH", second)
	if got, err := f.service.LookPath(context.Background(), "tool", nil); got != filepath.Join(second, "tool") {
		f.Errorf("LookPath on the service's own PATH = %q, %v", got, err)
	}
}

func lookPathRelative(f *fixture) {
	dir := f.programs()
	f.Chdir(dir)
	for _, path := range []string{"", ".", ":", filepath.Base(dir), ".:" + "../" + filepath.Base(dir)} {
		if got, err := f.lookPath("tool", path); !errors.Is(err, subprocess.ErrNotFound) {
			f.Errorf("LookPath with PATH=%q = %q, %v", path, got, err)
		}
	}
	if got, err := f.lookPath("./tool", dir); !errors.Is(err, subprocess.ErrNotFound) {
		f.Errorf("LookPath of a relative name = %q, %v", got, err)
	}
}

func lookPathMisses(f *fixture) {
	dir := f.programs()
	for _, name := range []string{"missing", "plain", "folder", "", "tool\x00"} {
		if got, err := f.lookPath(name, dir); !errors.Is(err, subprocess.ErrNotFound) {
			f.Errorf("LookPath(%q) = %q, %v", name, got, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.service.LookPath(ctx, "sh", nil); err != context.Canceled {
		f.Errorf("LookPath with a context that has ended: %v", err)
	}
}
