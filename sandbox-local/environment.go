package sandboxlocal

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/sandbox"
)

// startupNames are variables on which a loader, the C library, a shell or an
// interpreter acts while it starts: before a runner that is one, or uses one,
// has confined anything. The C library's own list is in ld.so(8); PATH, IFS
// and CDPATH matter to a runner that is a shell script.
var startupNames = []string{
	"BASH_ENV", "BASHOPTS", "CDPATH", "ENV", "GCONV_PATH", "GETCONF_DIR", "GLIBC_TUNABLES", "GODEBUG",
	"GOTRACEBACK", "HOSTALIASES", "IFS", "JAVA_TOOL_OPTIONS", "LOCALDOMAIN", "LOCPATH", "NIS_PATH", "NLSPATH",
	"PATH", "PERL5DB", "PERL5LIB", "PERL5OPT", "PERLLIB", "PROMPT_COMMAND", "PS4", "RESOLV_HOST_CONF", "RUBYLIB",
	"RUBYOPT", "SHELLOPTS", "TZDIR", "ZDOTDIR",
}

// The same for families of names.
var (
	startupPrefixes = []string{"LD_", "DYLD_", "BASH_FUNC_", "MALLOC_", "PYTHON"}
	startupSuffixes = []string{"_OPTIONS"}
)

func actsOnStartup(name string) bool {
	return slices.Contains(startupNames, name) ||
		slices.ContainsFunc(startupPrefixes, func(p string) bool { return strings.HasPrefix(name, p) }) ||
		slices.ContainsFunc(startupSuffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}

// variable is an entry that a runner sets inside.
type variable struct{ name, value string }

// splitEnv parts the entries that may stand in a runner's own environment from
// those that the runner must set inside, the latter ordered by name.
func splitEnv(env map[string]string) (outside map[string]string, inside []variable) {
	outside = make(map[string]string, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if actsOnStartup(name) {
			inside = append(inside, variable{name, env[name]})
		} else {
			outside[name] = env[name]
		}
	}
	return outside, inside
}

// withTemp returns env with a TMPDIR that the command can write to: /tmp, if
// the one that it would get lies outside the writable directories or does not
// exist. Nothing is changed where the command has none, or where nothing is
// writable.
func withTemp(env map[string]string, writable []string) map[string]string {
	dir, given := env["TMPDIR"]
	if !given {
		dir = os.Getenv("TMPDIR")
	}
	if dir == "" || len(writable) == 0 {
		return env
	}
	if canonical, err := sandbox.Canonical(dir); err == nil && sandbox.Within(canonical, writable) {
		return env
	}
	changed := maps.Clone(env)
	if changed == nil {
		changed = make(map[string]string)
	}
	changed["TMPDIR"] = "/tmp"
	return changed
}
