package landlockrun

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/landlock"
)

func TestParse(t *testing.T) {
	tests := []struct {
		args []string
		want options
	}{
		{[]string{"--", "true"}, options{statusFD: -1, argv: []string{"true"}}},
		{[]string{"--probe"}, options{statusFD: -1, probe: true}},
		{
			[]string{"--rw", "/a", "--ro", "/b", "--rw", "--", "--", "c", "--ro"},
			options{
				statusFD: -1, argv: []string{"c", "--ro"},
				grants: landlock.Grants{Writable: []string{"/a", "--"}, Readable: []string{"/b"}},
			},
		},
		{
			[]string{"--read-only", "--status-fd", "9", "--setenv", "A", "b=c\nd", "--", "x", "--", "y"},
			options{statusFD: 9, readOnly: true, setenv: []string{"A=b=c\nd"}, argv: []string{"x", "--", "y"}},
		},
	}
	for _, tt := range tests {
		got, err := parse(tt.args)
		if err != nil {
			t.Errorf("%q: %v", tt.args, err)
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(options{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.args, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, args := range [][]string{
		nil,
		{"--"},
		{"--", ""},
		{"true"},
		{"--ro"},
		{"--rw", "/a"},
		{"--setenv", "A", "--"},
		{"--setenv", "", "x", "--", "a"},
		{"--setenv", "A=B", "x", "--", "a"},
		{"--status-fd", "2", "--", "a"},
		{"--status-fd", "x", "--", "a"},
		{"--status-fd", "-1", "--", "a"},
		{"--probe", "--", "a"},
		{"--rw", "/a", "--probe"},
		{"--help"},
	} {
		if got, err := parse(args); err == nil {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

func TestEnvironment(t *testing.T) {
	opts := options{setenv: []string{"A=2", "C=3"}}
	want := []string{"B=1", "A=2", "C=3"}
	if diff := cmp.Diff(want, opts.environment([]string{"A=1", "B=1", "A=0"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGrantArgs(t *testing.T) {
	root, err := sandbox.Canonical(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got, err := GrantArgs(sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: root})
	if diff := cmp.Diff([]string{"--rw", "/dev/null", "--read-only"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := GrantArgs(sandbox.Policy{Mode: sandbox.DangerFullAccess}); err == nil {
		t.Error("full access has no grants")
	}
	if _, err := GrantArgs(sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: "/"}); err == nil {
		t.Error("an invalid policy has no grants")
	}
}
