package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestPolicyValidate(t *testing.T) {
	dir := canonicalTempDir(t)
	file := filepath.Join(dir, "file")
	writeFile(t, file)
	root := filepath.VolumeName(dir) + string(filepath.Separator)
	tests := []struct {
		name   string
		policy Policy
		want   error
	}{
		{"read-only", Policy{Mode: ReadOnly, WorkspaceRoot: dir}, nil},
		{"workspace-write", Policy{Mode: WorkspaceWrite, WorkspaceRoot: dir}, nil},
		{"full access needs no root", Policy{Mode: DangerFullAccess}, nil},
		{"full access does not look at the root", Policy{Mode: DangerFullAccess, WorkspaceRoot: "nowhere"}, nil},
		{"no mode", Policy{WorkspaceRoot: dir}, ErrUnknownMode},
		{"unknown mode", Policy{Mode: "all", WorkspaceRoot: dir}, ErrUnknownMode},
		{"no root", Policy{Mode: ReadOnly}, ErrRootNotAbsolute},
		{"relative root", Policy{Mode: ReadOnly, WorkspaceRoot: "."}, ErrRootNotAbsolute},
		{"missing root", Policy{Mode: ReadOnly, WorkspaceRoot: filepath.Join(dir, "nope")}, ErrRootMissing},
		{"a file as root", Policy{Mode: WorkspaceWrite, WorkspaceRoot: file}, ErrRootNotDirectory},
		{"beneath a file", Policy{Mode: WorkspaceWrite, WorkspaceRoot: filepath.Join(file, "x")}, ErrRootNotDirectory},
		{"everything may be read", Policy{Mode: ReadOnly, WorkspaceRoot: root}, nil},
		{"everything must not be writable", Policy{Mode: WorkspaceWrite, WorkspaceRoot: root}, ErrRootTooWide},
	}
	if runtime.GOOS == "windows" { // reports both as not found
		tests[10].want = ErrRootMissing
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.policy.Validate()
			if tt.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var invalid *InvalidPolicyError
			if !errors.As(err, &invalid) || !errors.Is(err, tt.want) || errors.Is(err, ErrUnavailable) {
				t.Fatalf("Validate = %v, want %v", err, tt.want)
			}
			if invalid.WorkspaceRoot != tt.policy.WorkspaceRoot || !strings.Contains(err.Error(), string(tt.policy.Mode)) {
				t.Errorf("%v does not name the policy", err)
			}
		})
	}
}

func TestARootThatLeadsToEverythingIsRefused(t *testing.T) {
	link := filepath.Join(canonicalTempDir(t), "all")
	symlink(t, string(filepath.Separator), link)
	if err := (Policy{Mode: WorkspaceWrite, WorkspaceRoot: link}).Validate(); !errors.Is(err, ErrRootTooWide) {
		t.Errorf("a link to the root of the file system: %v", err)
	}
}

func TestCanonical(t *testing.T) {
	dir := canonicalTempDir(t)
	deep := filepath.Join(dir, "deep", "x")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "file"))
	symlink(t, deep, filepath.Join(dir, "j"))
	symlink(t, "deep", filepath.Join(dir, "relative"))
	symlink(t, "j/../..", filepath.Join(dir, "back"))
	symlink(t, "loop", filepath.Join(dir, "loop"))
	tests := []struct{ path, want string }{
		{"deep/x", deep},
		{"./deep//x/.", deep},
		{"j", deep},
		{"j/..", filepath.Join(dir, "deep")}, // lexically it would be dir
		{"j/../..", dir},
		{"relative/x", deep},
		{"back/deep", filepath.Join(dir, "deep")},
		{"file", filepath.Join(dir, "file")},
	}
	for _, tt := range tests {
		got, err := Canonical(dir + string(filepath.Separator) + filepath.FromSlash(tt.path))
		if err != nil || got != tt.want {
			t.Errorf("Canonical(%q) = %q, %v, want %q", tt.path, got, err, tt.want)
		}
	}
	for _, path := range []string{"nope", "nope/..", "file/x", "file/..", "file/", "loop"} {
		got, err := Canonical(dir + string(filepath.Separator) + path)
		var pathErr *os.PathError
		if !errors.As(err, &pathErr) {
			t.Errorf("Canonical(%q) = %q, %v", path, got, err)
		}
	}
	if got, err := Canonical(""); err == nil {
		t.Errorf("Canonical of nothing is %q", got)
	}
}

func TestCanonicalStartsAtTheWorkingDirectory(t *testing.T) {
	dir := canonicalTempDir(t)
	t.Chdir(dir)
	if err := os.Mkdir("sub", 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := Canonical("sub/../sub"); err != nil || got != filepath.Join(dir, "sub") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWritableRoots(t *testing.T) {
	dir := canonicalTempDir(t)
	link := filepath.Join(canonicalTempDir(t), "link")
	symlink(t, dir, link)
	for _, mode := range []Mode{ReadOnly, DangerFullAccess} {
		if roots, err := WritableRoots(Policy{Mode: mode, WorkspaceRoot: dir}); len(roots) != 0 || err != nil {
			t.Errorf("%s: %q, %v", mode, roots, err)
		}
	}
	roots, err := WritableRoots(Policy{Mode: WorkspaceWrite, WorkspaceRoot: link})
	if err != nil || len(roots) == 0 || roots[0] != dir {
		t.Fatalf("workspace-write: %q, %v, want %q first", roots, err, dir)
	}
	for _, root := range roots {
		if canonical, err := Canonical(root); err != nil || canonical != root {
			t.Errorf("%q is not canonical: %q, %v", root, canonical, err)
		}
	}
	if _, err := WritableRoots(Policy{Mode: WorkspaceWrite, WorkspaceRoot: filepath.Join(dir, "nope")}); err == nil {
		t.Error("a missing root has no error")
	}
}

func TestWritableRootsDoNotRepeat(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the temporary area is /tmp itself only on Linux")
	}
	t.Setenv("TMPDIR", "/somewhere/else")
	tmp, err := Canonical("/tmp")
	if err != nil {
		t.Skip(err)
	}
	roots, err := WritableRoots(Policy{Mode: WorkspaceWrite, WorkspaceRoot: "/tmp"})
	if err != nil || !slices.Equal(roots, []string{tmp}) {
		t.Errorf("%q, %v", roots, err)
	}
}

func TestWithin(t *testing.T) {
	roots := []string{filepath.FromSlash("/a/b"), filepath.FromSlash("/c")}
	for path, want := range map[string]bool{"/a/b": true, "/a/b/x": true, "/a/bc": false, "/a": false, "/c/d": true, "/": false} {
		if Within(filepath.FromSlash(path), roots) != want {
			t.Errorf("Within(%q) = %v", path, !want)
		}
	}
	root := []string{string(filepath.Separator)}
	if !Within(filepath.FromSlash("/x"), root) {
		t.Error("nothing lies beneath the root of the file system")
	}
}

func canonicalTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func writeFile(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}
