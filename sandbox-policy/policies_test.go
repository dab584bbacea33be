package sandboxpolicy

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

func TestTheZeroConfigReadsInTheWorkingDirectory(t *testing.T) {
	dir := canonicalTempDir(t)
	t.Chdir(dir)
	policies := newPolicies(t, Config{})
	want := sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: dir}
	if got := policies.Default(); got != want {
		t.Errorf("Default = %+v, want %+v", got, want)
	}
	t.Chdir("/")
	if got := policies.Default(); got != want {
		t.Errorf("after a chdir: %+v, want %+v", got, want)
	}
}

func TestRootsAreMadeCanonicalAtOnce(t *testing.T) {
	dir := canonicalTempDir(t)
	t.Chdir(dir)
	mkdir(t, "deep/x")
	if err := os.Symlink("deep/x", "j"); err != nil {
		t.Skip(err)
	}
	for root, want := range map[string]string{
		"deep":     filepath.Join(dir, "deep"),
		"j":        filepath.Join(dir, "deep", "x"),
		"j/..":     filepath.Join(dir, "deep"), // lexically it would be dir
		dir + "/j": filepath.Join(dir, "deep", "x"),
	} {
		policies := newPolicies(t, Config{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: root})
		if got := policies.Default().WorkspaceRoot; got != want {
			t.Errorf("root %q is %q, want %q", root, got, want)
		}
	}
}

func TestNewRefusesWhatCannotBeEnforced(t *testing.T) {
	t.Chdir(canonicalTempDir(t))
	tests := []struct {
		config Config
		want   error
	}{
		{Config{Mode: "all"}, sandbox.ErrUnknownMode},
		{Config{WorkspaceRoot: "nope"}, sandbox.ErrRootMissing},
		{Config{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: "/"}, sandbox.ErrRootTooWide},
	}
	for _, tt := range tests {
		policies, err := New(tt.config)
		var invalid *sandbox.InvalidPolicyError
		if policies != nil || !errors.As(err, &invalid) || !errors.Is(err, tt.want) {
			t.Errorf("New(%+v) = %v, want %v", tt.config, err, tt.want)
		}
	}
	if _, err := os.Stat("nope"); err == nil {
		t.Error("the missing root was made")
	}
}

func TestResolve(t *testing.T) {
	dir := canonicalTempDir(t)
	t.Chdir(dir)
	mkdir(t, "root")
	mkdir(t, "session")
	root, session := filepath.Join(dir, "root"), filepath.Join(dir, "session")
	policies := newPolicies(t, Config{WorkspaceRoot: "root"})
	tests := []struct {
		name string
		req  sandbox.PolicyRequest
		want sandbox.Policy
	}{
		{"nothing selects the default", sandbox.PolicyRequest{}, sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: root}},
		{"an approved mode outranks it", sandbox.PolicyRequest{Mode: sandbox.WorkspaceWrite}, sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: root}},
		{"a session's directory is its root", sandbox.PolicyRequest{SessionID: "s", Dir: session}, sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: session, SessionID: "s"}},
		{"only the mode widens", sandbox.PolicyRequest{Mode: sandbox.DangerFullAccess, SessionID: "s", Dir: session}, sandbox.Policy{Mode: sandbox.DangerFullAccess, WorkspaceRoot: session, SessionID: "s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := policies.Resolve(tt.req)
			if err != nil || got != tt.want {
				t.Errorf("Resolve = %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
	for _, req := range []sandbox.PolicyRequest{{Mode: "all"}, {Dir: filepath.Join(dir, "nope")}, {Mode: sandbox.WorkspaceWrite, Dir: "/"}} {
		var invalid *sandbox.InvalidPolicyError
		if got, err := policies.Resolve(req); !errors.As(err, &invalid) {
			t.Errorf("Resolve(%+v) = %+v, %v", req, got, err)
		}
	}
}

func newPolicies(t *testing.T, config Config) *Policies {
	t.Helper()
	policies, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return policies
}

func canonicalTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}
