package subprocesslocal

import (
	"slices"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/bash/subprocess"
)

// environOf is an environment as /proc shows it.
func environOf(entries ...string) []byte {
	return []byte(strings.Join(entries, "\x00") + "\x00")
}

func TestCookiesOfAService(t *testing.T) {
	const service, other = "0123456789abcdef", "fedcba9876543210"
	const start, second = "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"
	mine, nested, foreign := cookieEntry(service, start), cookieEntry(service, second), cookieEntry(other, start)
	tests := []struct {
		name    string
		environ []byte
		want    []string
	}{
		{"nothing", nil, nil},
		{"first", environOf(mine, "A=1"), []string{start}},
		{"last", environOf("A=1", mine), []string{start}},
		{"several, with another service's between", environOf(nested, foreign, "A=1", mine), []string{second, start}},
		{"only another service's", environOf(foreign), nil},
		{"inside a value", environOf("A=" + mine), nil},
		{"inside a name", environOf("X" + mine), nil},
		{"cut off", []byte(mine[:len(mine)-3]), nil},
		{"a longer name", environOf(strings.Replace(mine, "=", "x=", 1)), nil},
		{"overwritten title", []byte("worker: " + mine), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for id := range cookies(tt.environ, service) {
				got = append(got, string(id))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestCookiesAreInherited(t *testing.T) {
	entry := cookieEntry(newCookieID(), newCookieID())
	if got := subprocess.Environ([]string{entry}, nil, nil, nil); !slices.Equal(got, []string{entry}) {
		t.Errorf("a nested service would pass on %q", got)
	}
	if strings.HasPrefix(strings.ToUpper(entry), subprocess.ManagedPrefix) {
		t.Errorf("%q begins like a managed entry", entry)
	}
}

func TestCookieIDsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := newCookieID()
		if len(id) != cookieIDLen || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}
