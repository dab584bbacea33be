package subprocess

import (
	"slices"
	"strings"
	"testing"
)

func TestIsCredential(t *testing.T) {
	credentials := []string{
		"OPENAI_API_KEY", "aws_secret_access_key", "AWS_ACCESS_KEY_ID", "Db_Password", "GH_TOKEN", "gh-token",
		"PGPASSWORD", "pgpassword", "MYSQL_PWD", "SSH_PASSPHRASE", "GOOGLE_APPLICATION_CREDENTIALS",
		"NPM_CONFIG__AUTH", "npm_config__auth", "dbPassword", "OpenAIApiKey", "API_KEY2", "TOKEN1",
		"TOKEN", "my.secret", "_SECRET_",
	}
	for _, name := range credentials {
		if !IsCredential(name) {
			t.Errorf("IsCredential(%q) = false", name)
		}
	}
	others := []string{
		"TOKENIZERS_PARALLELISM", "MONKEY", "KEYBOARD_LAYOUT", "PWD", "OLDPWD", "SSH_AUTH_SOCK", "PATH", "HOME",
		"SECRETARY", "KEY", "API", "APIKEYS_DOC", "PASSAGE", "GIT_ASKPASS", "", "_", "=", "\xff\xfe", "XDG_RUNTIME_DIR",
	}
	for _, name := range others {
		if IsCredential(name) {
			t.Errorf("IsCredential(%q) = true", name)
		}
	}
}

func TestPublishedCredentialListsAreWhatIsApplied(t *testing.T) {
	for _, name := range slices.Concat(CredentialNames(), CredentialWords()) {
		if !IsCredential(name) || !IsCredential(strings.ToLower(name)) {
			t.Errorf("published name %q is not recognised", name)
		}
	}
}

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

func TestNameWords(t *testing.T) {
	for name, want := range map[string][]string{
		"":                   nil,
		"_":                  nil,
		"GH_TOKEN":           {"GH", "TOKEN"},
		"__a--b..":           {"a", "b"},
		"dbPassword2":        {"db", "Password", "2"},
		"OpenAIApiKey":       {"Open", "AI", "Api", "Key"},
		"S3_KEY":             {"S", "3", "KEY"},
		"\xffTOKEN\xfe":      {"TOKEN"},
		"\uFFFDTOKEN\uFFFDx": {"TOKEN", "x"},
		"héTOKEN":            {"hé", "TOKEN"},
		"a\xc3":              {"a"},
	} {
		if got := nameWords(nil, name); !slices.Equal(got, want) {
			t.Errorf("nameWords(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestLookingAtANameAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		for _, name := range []string{"PATH", "TOKENIZERS_PARALLELISM", "aws_secret_access_key", "XDG_RUNTIME_DIR"} {
			IsCredential(name)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}


// A credential without a stem would be inherited.
func TestEveryCredentialHoldsAStem(t *testing.T) {
	for _, name := range slices.Concat(CredentialNames(), CredentialWords()) {
		if !mayBeCredential(name) {
			t.Errorf("%q holds none of %q", name, credentialStems)
		}
	}
}

// The environment of a desktop session with a few tools.
func BenchmarkEnviron(b *testing.B) {
	inherited := []string{
		"PATH=/bin", "HOME=/root", "LANG=C.UTF-8", "TERM=xterm", "SSH_AUTH_SOCK=/s", "OPENAI_API_KEY=x",
		"XDG_RUNTIME_DIR=/run", "GOFLAGS=-x", "PWD=/", "SHLVL=1", "USER=u", "LOGNAME=u", "MAIL=/m", "EDITOR=vi",
		"XDG_SESSION_ID=1", "XDG_SESSION_TYPE=wayland", "XDG_SESSION_CLASS=user", "XDG_CURRENT_DESKTOP=d",
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/b", "DISPLAY=:0", "WAYLAND_DISPLAY=wayland-0", "SHELL=/bin/bash",
		"LS_COLORS=rs=0", "LESSOPEN=| l %s", "LESSCLOSE=l %s %s", "OLDPWD=/", "COLORTERM=truecolor", "VIRTUAL_ENV=/v",
		"NVM_DIR=/n", "NVM_BIN=/n/bin", "GOPATH=/g", "CARGO_HOME=/c", "JAVA_HOME=/j", "LC_ALL=C", "_=/bin/env",
	}
	env := map[string]string{
		"TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "NO_COLOR": "1", "GIT_TERMINAL_PROMPT": "0", "EDITOR": "true",
	}
	managed := map[string]string{"DSH_ID": "1"}
	b.ReportAllocs()
	for b.Loop() {
		Environ(inherited, env, nil, managed)
	}
}
