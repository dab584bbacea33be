package sandboxlocal

import (
	"errors"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

func TestNewValidates(t *testing.T) {
	signatures := []string{"my-runner: "}
	good := []Config{
		{},
		{Runners: []string{Bwrap}},
		{Runners: []string{"/opt/bin/bwrap", Landlock}},
		{Runners: []string{Seatbelt}},
		{RunnerCommand: []string{"my-runner", "--quiet"}, RunnerFailureSignatures: signatures},
		{Runners: []string{Custom, Bwrap}, RunnerCommand: []string{"my-runner"}, RunnerFailureSignatures: signatures},
		{LandlockLauncher: "/opt/landlock-run"},
	}
	for _, config := range good {
		if _, err := New(config); err != nil {
			t.Errorf("%+v: %v", config, err)
		}
	}
	bad := []struct {
		config Config
		field  string
		want   error
	}{
		{Config{Runners: []string{"firejail"}}, "Runners", ErrUnknownRunner},
		{Config{Runners: []string{"./bwrap"}}, "Runners", ErrUnknownRunner},
		{Config{Runners: []string{"/opt/firejail"}}, "Runners", ErrUnknownRunner},
		{Config{Runners: []string{""}}, "Runners", ErrUnknownRunner},
		{Config{Runners: []string{Bwrap, "/opt/bwrap"}}, "Runners", ErrRepeatedRunner},
		{Config{Runners: []string{Custom}}, "Runners", ErrNoRunnerCommand},
		{Config{Runners: []string{Bwrap}, RunnerCommand: []string{"r"}, RunnerFailureSignatures: signatures}, "RunnerCommand", ErrUnusedRunnerCommand},
		{Config{RunnerCommand: []string{" "}, RunnerFailureSignatures: signatures}, "RunnerCommand", ErrBlank},
		{Config{RunnerCommand: []string{"r", "a\x00b"}, RunnerFailureSignatures: signatures}, "RunnerCommand", ErrNUL},
		{Config{RunnerCommand: []string{"r"}}, "RunnerFailureSignatures", ErrNoSignatures},
		{Config{RunnerCommand: []string{"r"}, RunnerFailureSignatures: []string{"x", "\t"}}, "RunnerFailureSignatures", ErrBlank},
		{Config{RunnerCommand: []string{"r"}, RunnerFailureSignatures: []string{"x\ny"}}, "RunnerFailureSignatures", ErrSeveralLines},
		{Config{ProbeTimeout: -1}, "ProbeTimeout", ErrNegative},
		{Config{LandlockLauncher: "landlock-run"}, "LandlockLauncher", ErrNotAbsolute},
		{Config{LandlockLauncher: "/a\x00"}, "LandlockLauncher", ErrNUL},
	}
	for _, tt := range bad {
		_, err := New(tt.config)
		var config *ConfigError
		if !asError(err, &config) || config.Field != tt.field || !errors.Is(err, tt.want) {
			t.Errorf("%+v: %v", tt.config, err)
		}
	}
}

func TestConfineRefusesWhatIsWrongWithTheCall(t *testing.T) {
	root := t.TempDir()
	good := sandbox.Request{
		Argv: []string{"/bin/true"}, Dir: root,
		Policy: sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: root},
	}
	change := func(f func(*sandbox.Request)) sandbox.Request {
		req := good
		f(&req)
		return req
	}
	tests := []struct {
		name string
		req  sandbox.Request
		want error
	}{
		{"full access", change(func(r *sandbox.Request) { r.Policy.Mode = sandbox.DangerFullAccess }), sandbox.ErrFullAccess},
		{"no mode", change(func(r *sandbox.Request) { r.Policy.Mode = "" }), sandbox.ErrUnknownMode},
		{"missing root", change(func(r *sandbox.Request) { r.Policy.WorkspaceRoot += "/nope" }), sandbox.ErrRootMissing},
		{"no argv", change(func(r *sandbox.Request) { r.Argv = nil }), ErrNoArgv},
		{"NUL in argv", change(func(r *sandbox.Request) { r.Argv = []string{"/bin/true", "a\x00b"} }), ErrNUL},
		{"NUL in a value", change(func(r *sandbox.Request) { r.Env = map[string]string{"BASH_ENV": "x\x00--bind\x00/\x00/"} }), ErrNUL},
		{"NUL in a name", change(func(r *sandbox.Request) { r.Env = map[string]string{"LD_\x00": "x"} }), ErrNUL},
		{"a name with =", change(func(r *sandbox.Request) { r.Env = map[string]string{"A=B": "x"} }), ErrBadEnvName},
		{"no name", change(func(r *sandbox.Request) { r.Env = map[string]string{"": "x"} }), ErrBadEnvName},
		{"relative dir", change(func(r *sandbox.Request) { r.Dir = "x" }), ErrNotAbsolute},
		{"NUL in dir", change(func(r *sandbox.Request) { r.Dir += "\x00" }), ErrNUL},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := new(Provider).Confine(t.Context(), tt.req)
			if c != nil || !errors.Is(err, tt.want) || errors.Is(err, sandbox.ErrUnavailable) {
				t.Errorf("%v, %v", c, err)
			}
		})
	}
}
