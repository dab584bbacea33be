package subprocesstest

import (
	"slices"
	"strings"
)

var environmentTests = []test{
	{"credentials are not inherited, look-alikes are", credentials},
	{"managed entries cannot be displaced", managedEntries},
	{"what the caller sets stays, and what it unsets goes", callerEntries},
	{"values are bytes", byteValues},
	{"a value with newlines stays one value", newlines},
}

// environment runs env and returns its lines that begin with one of the
// prefixes, in any case.
func (f *fixture) environment(env, managed map[string]string, unset []string, prefixes ...string) []string {
	f.Helper()
	spec := shell(`env`)
	spec.Env, spec.Managed, spec.Unset = env, managed, unset
	_, stdout, _ := f.run(spec)
	var lines []string
	for line := range strings.Lines(stdout) {
		for _, prefix := range prefixes {
			if strings.HasPrefix(strings.ToLower(line), strings.ToLower(prefix)) {
				lines = append(lines, strings.TrimSuffix(line, "\n"))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func (f *fixture) wantLines(got []string, want ...string) {
	f.Helper()
	if !slices.Equal(got, want) {
		f.Errorf("environment has %q, want %q", got, want)
	}
}

func credentials(f *fixture) {
	names := []string{
		"OPENAI_API_KEY", "aws_secret_access_key", "Db_Password", "GH_TOKEN",
		"TOKENIZERS_PARALLELISM", "MONKEY", "KEYBOARD_LAYOUT", "SSH_AUTH_SOCK",
	}
	for _, name := range names {
		f.Setenv(name, "v")
	}
	f.wantLines(f.environment(nil, nil, nil, names...),
		"KEYBOARD_LAYOUT=v", "MONKEY=v", "SSH_AUTH_SOCK=v", "TOKENIZERS_PARALLELISM=v")
	f.wantLines(f.environment(map[string]string{"GH_TOKEN": "given"}, nil, nil, "GH_TOKEN"), "GH_TOKEN=given")
}

func managedEntries(f *fixture) {
	f.Setenv("DSH_STALE", "1")
	f.Setenv("dsh_x", "1")
	env := map[string]string{"DSH_ID": "evil", "DSH_MORE": "evil"}
	f.wantLines(f.environment(env, map[string]string{"DSH_ID": "good"}, nil, "DSH_"), "DSH_ID=good", "dsh_x=1")
}

func callerEntries(f *fixture) {
	f.Setenv("SUITE_A", "inherited")
	f.Setenv("SUITE_B", "inherited")
	f.Setenv("SUITE_C", "inherited")
	env := map[string]string{"SUITE_A": "set", "SUITE_B": ""}
	f.wantLines(f.environment(env, nil, []string{"SUITE_A", "SUITE_C"}, "SUITE_"), "SUITE_A=set", "SUITE_B=")
}

func byteValues(f *fixture) {
	spec := shell(`printf %s "$B" | od -An -tx1 | tr -d ' \n'`)
	spec.Env = map[string]string{"B": "\xff\xfe"}
	if _, stdout, _ := f.run(spec); stdout != "fffe" {
		f.Errorf("the value's bytes are %q", stdout)
	}
}

func newlines(f *fixture) {
	spec := shell(`printf %s "$N"`)
	spec.Env = map[string]string{"N": "a\nb\n"}
	if _, stdout, _ := f.run(spec); stdout != "a\nb\n" {
		f.Errorf("the value is %q", stdout)
	}
}
