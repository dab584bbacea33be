package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/testrun"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

func TestTooOld(t *testing.T) {
	for version, want := range map[string]error{
		"v20.20.2": nil, "v18.20.0": nil, "v100.0.0": nil, "v24.0.0-pre": nil,
		"v18.19.1": errOldNode, "v9.99.0": errOldNode, "v18.20.0-rc.1": errOldNode,
		"": errNodeVersion, "20.1.0": errNodeVersion, "v20": nil, "node 20": errNodeVersion,
	} {
		if err := tooOld(version); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", version, err, want)
		}
	}
}

// TestClientsWithoutNode has the leg look for its programs where there are none.
func TestClientsWithoutNode(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, test := range []struct {
		require []string
		want    string
		green   bool
	}{
		{nil, "skip  clients", true},
		{[]string{"clients"}, "FAIL  clients", false},
	} {
		var out strings.Builder
		s := newSession(&workspace.Workspace{}, options{run: []string{"clients"}, require: test.require}, &out)
		green := summarize(&out, s.runLegs(t.Context(), allLegs()))
		text := out.String()
		if green != test.green || !strings.HasPrefix(text, test.want) || !strings.Contains(text, "needs node from v18.20.0 on; apt-get install nodejs") {
			t.Errorf("required %v: green is %v:\n%s", test.require, green, text)
		}
	}
}

func TestMustBeUsable(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no bwrap
	s := newSession(&workspace.Workspace{}, options{require: []string{"unit", "bwrap"}}, &strings.Builder{})
	if must := s.mustBeUsable(t.Context()); !slices.Contains(must, "bwrap") || slices.Contains(must, "unit") {
		t.Errorf("bwrap is required: %v", must)
	}
	s.opts.require = nil
	if must := s.mustBeUsable(t.Context()); slices.Contains(must, "bwrap") {
		t.Errorf("bwrap is missing, and nobody requires it: %v", must)
	}
}

func TestClientsVerdict(t *testing.T) {
	const over = `{"Action":"pass","Package":"f","Test":"bwrap: a"}{"Action":"pass","Package":"f","Test":"bwrap: b"}`
	const lacking = `{"Action":"output","Package":"f","Test":"landlock: a","Output":"landlock is not usable here: old kernel\n"}` +
		`{"Action":"skip","Package":"f","Test":"landlock: a"}`
	const broken = `{"Action":"output","Package":"f","Test":"bwrap: c","Output":"expected 1\n"}{"Action":"fail","Package":"f","Test":"bwrap: c"}`
	for _, test := range []struct {
		name, stream string
		must         []string
		fact, err    string
	}{
		{"all ran", over, []string{"bwrap"}, "2 tests as the current user, 2 over bwrap", ""},
		{
			"skips are shown", over + lacking + strings.ReplaceAll(lacking, ": a", ": b"),
			[]string{"bwrap"},
			"2 tests as the current user, 2 over bwrap; 2 skipped: landlock is not usable here: old kernel", "",
		},
		{"nothing ran", "", []string{"bwrap"}, "0 tests as the current user, 0 over bwrap", "over bwrap: " + errNothingRan.Error()},
		{
			"nothing ran over one of them", over,
			[]string{"bwrap", "landlock"},
			"2 tests as the current user, 2 over bwrap, 0 over landlock", "over landlock: " + errNothingRan.Error(),
		},
		{
			"one was skipped for want of what must be there", over + lacking,
			[]string{"bwrap", "landlock"},
			"2 tests as the current user, 2 over bwrap, 0 over landlock; 1 skipped: landlock is not usable here: old kernel",
			"over landlock: f landlock: a was skipped although landlock is required",
		},
		{"one failed", over + broken, []string{"bwrap"}, "2 tests as the current user, 2 over bwrap", "f bwrap: c:\nexpected 1\n"},
	} {
		fact, err := clientsVerdict(results(t, test.stream), test.must)
		if fact != test.fact || (err == nil) != (test.err == "") || (err != nil && !strings.HasPrefix(err.Error(), test.err)) {
			t.Errorf("%s: %q, %v", test.name, fact, err)
		}
	}
	failed := errors.New("npm could not install")
	if _, err := clientsVerdict(testRun{&testrun.Results{}, failed}, []string{"bwrap"}); !errors.Is(err, failed) {
		t.Errorf("a run that did not begin: %v", err)
	}
}
