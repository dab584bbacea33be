package sandboxlocal

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh/sandbox"
)

var macSandbox = &seatbelt{program{path: seatbeltProgram}}

func TestSeatbeltArgv(t *testing.T) {
	tests := []struct {
		name     string
		writable []string
		profile  string
	}{
		{"read-only", nil, `(version 1)
(allow default)
(deny file-write*)
(allow file-write* (literal "/dev/null"))
`},
		{"workspace-write", []string{"/Users/a/w", "/private/tmp", "/private/var/folders/x/y/T"}, `(version 1)
(allow default)
(deny file-write*)
(allow file-write* (literal "/dev/null"))
(allow file-write* (subpath "/Users/a/w"))
(allow file-write* (subpath "/private/tmp"))
(allow file-write* (subpath "/private/var/folders/x/y/T"))
`},
	}
	for _, tt := range tests {
		c := aCall(sandbox.ReadOnly, sandbox.Host{}, nil)
		c.writable = tt.writable
		got, err := macSandbox.confine(c)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"/usr/bin/sandbox-exec", "-p", tt.profile, "/bin/bash", "-c", "true"}
		if diff := cmp.Diff(want, got.Argv); diff != "" {
			t.Errorf("%s: argv (-want +got):\n%s", tt.name, diff)
		}
	}
}

// unquote reads one string literal at the start of s as the profile language
// does, and returns what follows it.
func unquote(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			i++
			if i == len(s) || (s[i] != '"' && s[i] != '\\') {
				return "", s, false
			}
		}
		b.WriteByte(s[i])
	}
	return "", s, false
}

// oddNames are directory names that have ended literals, options and lists.
var oddNames = []string{
	"a b", "q'u", `d"q`, "new\nline", "co:lon", "com,ma", "-dash", "--tmpfs", "héé-日本", "*",
	"$(id)", `back\s`, "tr ", "%s", "#h", "~", `x") (allow file-write*) ("`, `end\`, `\"`, "\xff\xfe",
}

func TestSeatbeltQuoting(t *testing.T) {
	for _, name := range oddNames {
		dir := "/Users/" + name
		value, rest, ok := unquote(seatbeltQuote(dir))
		if !ok || value != dir || rest != "" {
			t.Errorf("%q reads as %q, followed by %q", dir, value, rest)
		}
		if got := strings.Count(seatbeltProfile([]string{dir}), "\n(allow file-write* (subpath "); got != 1 {
			t.Errorf("%q: %d rules", dir, got)
		}
	}
}

func TestSeatbeltSetsVariablesInside(t *testing.T) {
	c := aCall(sandbox.ReadOnly, sandbox.Host{}, map[string]string{"DYLD_INSERT_LIBRARIES": "/x", "A": "1"})
	got, err := macSandbox.confine(c)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/usr/bin/env", "DYLD_INSERT_LIBRARIES=/x", "/bin/bash", "-c", "true"}
	if diff := cmp.Diff(want, got.Argv[3:]); diff != "" {
		t.Errorf("argv (-want +got):\n%s", diff)
	}
	c.Argv = []string{"/opt/a=b/bash"}
	if _, err := macSandbox.confine(c); !errors.Is(err, ErrBadProgram) {
		t.Errorf("a program that env would take for a variable: %v", err)
	}
}
