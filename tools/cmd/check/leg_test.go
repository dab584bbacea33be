package main

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/testrun"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

var errNotHere = errors.New("not here")

// fakeLegs pass, fail, and lack something.
func fakeLegs() []leg {
	return []leg{
		{name: "good", run: func(context.Context, *session) (string, error) { return "all well", nil }},
		{name: "bad", run: func(context.Context, *session) (string, error) { return "", errors.New("line 1\nline 2") }},
		{
			name: "lacking", run: func(context.Context, *session) (string, error) { return "", errors.New("it ran") },
			needs: []need{{what: "a thing", get: "buy one", missing: func(context.Context) error { return errNotHere }}},
		},
	}
}

func TestRunLegs(t *testing.T) {
	for _, test := range []struct {
		name         string
		run, require []string
		closing      string
		// lines must occur, in this order; times are left out.
		lines []string
	}{
		{
			"what is lacking is skipped, with the remedy", nil, nil, "1 passed, 1 failed, 1 skipped",
			[]string{"ok good all well", "FAIL bad", "line 1", "line 2", "skip lacking needs a thing; buy one (not here)"},
		},
		{
			"what is lacking and required fails",
			[]string{"lacking"},
			[]string{"lacking"},
			"0 passed, 1 failed, 0 skipped",
			[]string{"FAIL lacking required, but could not run: needs a thing"},
		},
		{
			"what is required must be picked",
			[]string{"good"},
			[]string{"bad"},
			"1 passed, 1 failed, 0 skipped",
			[]string{"ok good", "FAIL bad required, but could not run: not picked"},
		},
		{"one leg", []string{"good"}, []string{"good"}, "1 passed, 0 failed, 0 skipped", []string{"ok good"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			s := newSession(&workspace.Workspace{}, options{run: test.run, require: test.require}, &out)
			green := summarize(&out, s.runLegs(t.Context(), fakeLegs()))
			if want := strings.Contains(test.closing, " 0 failed"); green != want {
				t.Errorf("green is %v", green)
			}
			text := strings.Join(strings.Fields(regexp.MustCompile(`\d+\.\d+s`).ReplaceAllString(out.String(), "")), " ")
			for _, line := range append(test.lines, test.closing) {
				_, rest, ok := strings.Cut(text, line)
				if !ok {
					t.Fatalf("no %q in:\n%s", line, out.String())
				}
				text = rest
			}
			if !strings.HasSuffix(out.String(), "\n"+test.closing+"\n") {
				t.Errorf("the closing line does not stand alone:\n%s", out.String())
			}
		})
	}
}

func TestShorten(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a\nb\n", "a\nb"},
		{strings.Repeat("x", maxWidth) + "\n", strings.Repeat("x", maxWidth)},
		{strings.Repeat("x", maxWidth+1), strings.Repeat("x", maxWidth) + "…"},
		{
			strings.Repeat("first\n", maxLines/2) + "gone\n" + strings.Repeat("last\n", maxLines/2),
			strings.Repeat("first\n", maxLines/2) + "… 1 line left out …\n" + strings.TrimSuffix(strings.Repeat("last\n", maxLines/2), "\n"),
		},
	} {
		if got := shorten(test.text); got != test.want {
			t.Errorf("%.20q became %.40q", test.text, got)
		}
	}
}

func TestParse(t *testing.T) {
	legs := allLegs()
	for _, test := range []struct {
		args         []string
		env          string
		run, require []string
	}{
		{nil, "", nil, nil},
		{[]string{"-run", "unit, race"}, "", []string{"unit", "race"}, nil},
		{[]string{"-require", "race"}, "bwrap,,landlock", nil, []string{"race", "bwrap", "landlock"}},
		{[]string{"-quick"}, "", []string{"vet", "unit"}, nil},
	} {
		opts, err := parse(test.args, test.env, legs, io.Discard)
		if err != nil || !slices.Equal(opts.run, test.run) || !slices.Equal(opts.require, test.require) {
			t.Errorf("%v, %q: %+v, %v", test.args, test.env, opts, err)
		}
	}
	for _, args := range [][]string{{"-run", "nope"}, {"-require", "nope"}, {"unit"}, {"-nope"}} {
		if _, err := parse(args, "", legs, io.Discard); err == nil {
			t.Errorf("%v is no usage error", args)
		}
	}
	if _, err := parse(nil, "nope", legs, io.Discard); err == nil {
		t.Error("an unknown name in the environment is no usage error")
	}
}

func TestExitStatus(t *testing.T) {
	t.Setenv(requireVariable, "")
	for _, test := range []struct {
		args []string
		want int
	}{{[]string{"-list"}, 0}, {[]string{"-h"}, 0}, {[]string{"-run", "nope"}, 2}} {
		if got := run(t.Context(), test.args, io.Discard, io.Discard); got != test.want {
			t.Errorf("%v: %d", test.args, got)
		}
	}
	t.Chdir(t.TempDir())
	if got := run(t.Context(), nil, io.Discard, io.Discard); got != 2 {
		t.Errorf("outside a checkout: %d", got)
	}
}

func results(t *testing.T, stream string) testRun {
	t.Helper()
	r := &testrun.Results{}
	if err := r.Read(strings.NewReader(stream)); err != nil {
		t.Fatal(err)
	}
	return testRun{r, r.Verdict(nil)}
}

func TestEvidence(t *testing.T) {
	const passed = `{"Action":"run","Package":"p","Test":"TestRun/Bwrap/x"}{"Action":"pass","Package":"p","Test":"TestRun/Bwrap/x"}`
	const other = `{"Action":"run","Package":"p","Test":"TestOther"}{"Action":"pass","Package":"p","Test":"TestOther"}`
	const broken = `{"Action":"run","Package":"p","Test":"TestOther"}{"Action":"fail","Package":"p","Test":"TestOther"}`
	skip := func(why string) string {
		return `{"Action":"run","Package":"p","Test":"TestX"}{"Action":"output","Package":"p","Test":"TestX","Output":"` + why +
			`"}{"Action":"skip","Package":"p","Test":"TestX"}`
	}
	for _, test := range []struct {
		name, stream string
		ran          int
		good         bool
	}{
		{"a test over the backend passed", passed + other, 1, true},
		{"none ran", other, 0, false},
		{"nothing ran at all", "", 0, false},
		{"one was skipped for want of the backend", passed + skip("x_test.go:1: needs bwrap: not found"), 1, false},
		{"in other words", passed + skip("x_test.go:1: bwrap is unusable here: exit status 1"), 1, false},
		{"another backend was missing", passed + skip("x_test.go:1: landlock is not usable here: old kernel"), 1, true},
		{"one was skipped for another reason", passed + skip("x_test.go:1: needs root"), 1, true},
		{"another test failed", passed + broken, 1, false},
	} {
		if ran, err := evidence(results(t, test.stream), "bwrap"); ran != test.ran || (err == nil) != test.good {
			t.Errorf("%s: %d, %v", test.name, ran, err)
		}
	}
}

// The tests must be told to insist on what is there, and on nothing else.
func TestTestEnv(t *testing.T) {
	s := newSession(nil, options{}, io.Discard)
	s.unmet = map[string]string{"bwrap": "", "landlock": "needs Landlock", "race": ""}
	if got := s.testEnv(); !slices.Equal(got, []string{"DSH_REQUIRE=bwrap"}) {
		t.Error(got)
	}
}

func TestEveryLegIsNamedOnce(t *testing.T) {
	var all []string
	for _, l := range allLegs() {
		if slices.Contains(all, l.name) || l.about == "" || l.run == nil {
			t.Errorf("%+v", l)
		}
		all = append(all, l.name)
	}
	if err := known(slices.Concat(quickLegs, backends), allLegs()); err != nil {
		t.Error(err)
	}
}

func TestMain(m *testing.M) {
	// Whoever runs these tests may require legs; the tests set their own.
	os.Unsetenv(requireVariable)
	os.Exit(m.Run())
}
