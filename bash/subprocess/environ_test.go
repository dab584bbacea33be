package subprocess

import (
	"slices"
	"testing"
)

func TestEnviron(t *testing.T) {
	tests := []struct {
		name      string
		inherited []string
		env       map[string]string
		unset     []string
		managed   map[string]string
		want      []string
	}{
		{name: "nothing", want: []string{}},
		{
			name:      "credentials and the product's prefix are not inherited",
			inherited: []string{"PATH=/bin", "GH_TOKEN=x", "DSH_STALE=1", "dsh_x=1", "SSH_AUTH_SOCK=/s"},
			want:      []string{"PATH=/bin", "SSH_AUTH_SOCK=/s", "dsh_x=1"},
		},
		{
			name:      "what a caller sets stays",
			inherited: []string{"GH_TOKEN=ambient"},
			env:       map[string]string{"GH_TOKEN": "given"},
			want:      []string{"GH_TOKEN=given"},
		},
		{
			name:    "nobody displaces a managed entry",
			env:     map[string]string{"DSH_ID": "evil", "DSH_MORE": "evil"},
			managed: map[string]string{"DSH_ID": "good"},
			want:    []string{"DSH_ID=good"},
		},
		{
			name:      "unset takes out what is inherited, not what is set",
			inherited: []string{"LD_PRELOAD=a", "LD_LIBRARY_PATH=b"},
			env:       map[string]string{"LD_PRELOAD": "mine"},
			unset:     []string{"LD_PRELOAD", "LD_LIBRARY_PATH"},
			want:      []string{"LD_PRELOAD=mine"},
		},
		{
			name:      "the last of two entries counts, and what is no entry is dropped",
			inherited: []string{"A=1", "A=2", "nonsense", "=C:=C:\\"},
			want:      []string{"A=2"},
		},
		{
			name:      "sorted by name, each once",
			inherited: []string{"D=1", "B=1", "A1=1", "A=1"},
			env:       map[string]string{"C": "2", "A0": "2", "D": "2", "E": "2"},
			managed:   map[string]string{"E": "3"},
			want:      []string{"A=1", "A0=2", "A1=1", "B=1", "C=2", "D=2", "E=3"},
		},
		{
			name: "bytes are kept as they are",
			env:  map[string]string{"B": "\xff\xfe", "EMPTY": ""},
			want: []string{"B=\xff\xfe", "EMPTY="},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Environ(tt.inherited, tt.env, tt.unset, tt.managed)
			if !slices.Equal(got, tt.want) {
				t.Errorf("Environ = %q, want %q", got, tt.want)
			}
		})
	}
}

// What is composed later is no part of what is inherited.
func TestInheritedIsImmutable(t *testing.T) {
	environ := []string{"B=1", "A=1"}
	inherited := InheritedFrom(environ)
	environ[0] = "B=changed"
	inherited.With(map[string]string{"A": "2", "C": "2"}, []string{"B"}, nil)
	if got, want := inherited.With(nil, nil, nil), []string{"A=1", "B=1"}; !slices.Equal(got, want) {
		t.Errorf("With = %q, want %q", got, want)
	}
}

// The environment of a desktop session with a few tools.
var desktop = []string{
	"PATH=/bin", "HOME=/root", "LANG=C.UTF-8", "TERM=xterm", "SSH_AUTH_SOCK=/s", "OPENAI_API_KEY=x",
	"XDG_RUNTIME_DIR=/run", "GOFLAGS=-x", "PWD=/", "SHLVL=1", "USER=u", "LOGNAME=u", "MAIL=/m", "EDITOR=vi",
	"XDG_SESSION_ID=1", "XDG_SESSION_TYPE=wayland", "XDG_SESSION_CLASS=user", "XDG_CURRENT_DESKTOP=d",
	"DBUS_SESSION_BUS_ADDRESS=unix:path=/b", "DISPLAY=:0", "WAYLAND_DISPLAY=wayland-0", "SHELL=/bin/bash",
	"LS_COLORS=rs=0", "LESSOPEN=| l %s", "LESSCLOSE=l %s %s", "OLDPWD=/", "COLORTERM=truecolor", "VIRTUAL_ENV=/v",
	"NVM_DIR=/n", "NVM_BIN=/n/bin", "GOPATH=/g", "CARGO_HOME=/c", "JAVA_HOME=/j", "LC_ALL=C", "_=/bin/env",
}

func BenchmarkInheritedFrom(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		InheritedFrom(desktop)
	}
}

func BenchmarkWith(b *testing.B) {
	inherited := InheritedFrom(desktop)
	env := map[string]string{
		"TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "NO_COLOR": "1", "GIT_TERMINAL_PROMPT": "0", "EDITOR": "true",
	}
	managed := map[string]string{"DSH_ID": "1"}
	b.ReportAllocs()
	for b.Loop() {
		inherited.With(env, nil, managed)
	}
}
