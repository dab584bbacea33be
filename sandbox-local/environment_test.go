package sandboxlocal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh/sandbox"
)

func TestActsOnStartup(t *testing.T) {
	for _, name := range []string{
		"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV",
		"ENV", "SHELLOPTS", "BASHOPTS", "BASH_FUNC_ls%%", "GCONV_PATH", "NODE_OPTIONS", "ASAN_OPTIONS",
		"_JAVA_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "GLIBC_TUNABLES", "PATH", "IFS",
	} {
		if !actsOnStartup(name) {
			t.Errorf("%s may act on a runner", name)
		}
	}
	for _, name := range []string{"LANG", "LANGUAGE", "TERM", "OPTIONS", "ENVIRONMENT", "BUILD", "OLD_PATH", "HOME", "TMPDIR"} {
		if actsOnStartup(name) {
			t.Errorf("%s is harmless", name)
		}
	}
}

func TestWithTemp(t *testing.T) {
	base, err := sandbox.Canonical(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inside, outside := filepath.Join(base, "in"), filepath.Join(base, "out")
	for _, dir := range []string{inside, outside} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name     string
		env      map[string]string
		ambient  string
		writable []string
		want     map[string]string
	}{
		{"none", nil, "", []string{inside}, nil},
		{"given, inside", map[string]string{"TMPDIR": inside}, outside, []string{inside}, map[string]string{"TMPDIR": inside}},
		{"given, outside", map[string]string{"TMPDIR": outside, "A": "1"}, "", []string{inside}, map[string]string{"TMPDIR": "/tmp", "A": "1"}},
		{"given, missing", map[string]string{"TMPDIR": inside + "/no"}, "", []string{inside}, map[string]string{"TMPDIR": "/tmp"}},
		{"given as empty", map[string]string{"TMPDIR": ""}, outside, []string{inside}, map[string]string{"TMPDIR": ""}},
		{"inherited, inside", nil, inside, []string{inside}, nil},
		{"inherited, outside", nil, outside, []string{inside}, map[string]string{"TMPDIR": "/tmp"}},
		{"nothing writable", nil, outside, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("TMPDIR", tt.ambient)
			if diff := cmp.Diff(tt.want, withTemp(tt.env, tt.writable)); diff != "" {
				t.Errorf("env (-want +got):\n%s", diff)
			}
		})
	}
}
