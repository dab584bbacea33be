package bashtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
)

var command = []scenario{
	{"the shape of a command is kept", shapes},
	{"an empty command succeeds, however it is spelled", empty},
	{"a command that looks like an option is a command", optionLike},
	{"a command as long as the kernel allows runs, a longer one is refused", longest},
	{"a NUL byte is refused before anything runs", nul},
	{"an unusable working directory is nobody else's fault", badWorkdir},
	{"a relative working directory starts at the default one", relativeWorkdir},
	{"a link before dot-dot is followed", linkedWorkdir},
}

// shapes compares with bash itself: nothing may be glued to a command.
func shapes(s *suite) {
	fixture := s.open(Settings{})
	for _, command := range []string{"cat <<'EOF'\nhi\nEOF", "echo a # c", "echo a \\", "echo 'x\ny'; echo z", "echo a;", "echo a &&\necho b"} {
		want, err := exec.Command("bash", "-c", command).Output()
		if err != nil {
			s.Fatal(err)
		}
		result := s.runWith(fixture, bash.Request{Command: command})
		s.wantExit(result, 0)
		s.wantText("stdout", result.Stdout.Text, string(want))
		s.wantText("stderr", result.Stderr.Text, "")
	}
}

func empty(s *suite) {
	fixture := s.open(Settings{})
	for _, command := range []string{"", "   ", "\n", "#x"} {
		result := s.runWith(fixture, bash.Request{Command: command})
		s.wantExit(result, 0)
		s.wantText("output", result.Stdout.Text+result.Stderr.Text, "")
	}
}

func optionLike(s *suite) {
	fixture := s.open(Settings{})
	for _, command := range []string{"-c", "--version", "+x", "-"} {
		result := s.runWith(fixture, bash.Request{Command: command})
		s.wantExit(result, 127)
		if !strings.Contains(result.Stderr.Text, "command not found") {
			s.Errorf("%q: stderr %q", command, result.Stderr.Text)
		}
	}
}

// longest goes by the kernel's limit for one argument where it is known: 32
// pages, the terminating NUL byte included (MAX_ARG_STRLEN, execve(2)).
func longest(s *suite) {
	limit := 32 * os.Getpagesize()
	fixture := s.open(Settings{})
	padded := func(length int) string {
		return ":;" + strings.Repeat(" ", length-len(":;echo ok")) + "echo ok"
	}
	result := s.runWith(fixture, bash.Request{Command: padded(limit - 1)})
	s.wantExit(result, 0)
	s.wantText("stdout", result.Stdout.Text, "ok\n")

	result, err := s.try(fixture, bash.Request{Command: padded(limit)})
	var invalid *bash.InvalidRequestError
	switch {
	case err == nil:
		s.wantText("stdout", result.Stdout.Text, "ok\n") // some kernels take more
	case !errors.As(err, &invalid) || invalid.Field != "Command" || !strings.Contains(err.Error(), "too long"):
		s.Errorf("one byte more: %v", err)
	case result.ExitCode != 0 || result.Stdout.Text != "":
		s.Errorf("something ran: %+v", result)
	}
}

func nul(s *suite) {
	dir := s.opts.Dir(s.T)
	fixture := s.open(Settings{Workdir: dir})
	for field, req := range map[string]bash.Request{
		"Command": {Command: "touch ran; echo x\x00; touch ran"},
		"Workdir": {Command: "touch ran", Workdir: dir + "\x00"},
		"Env":     {Command: "touch ran", Env: map[string]string{"A": "x\x00"}},
		"Managed": {Command: "touch ran", Managed: map[string]string{"DSH_A": "x\x00"}},
	} {
		_, err := s.try(fixture, req)
		var invalid *bash.InvalidRequestError
		if !errors.As(err, &invalid) || invalid.Field != field || errors.Is(err, sandbox.ErrUnavailable) {
			s.Errorf("%s: %v", field, err)
		}
	}
	s.wantAbsent(filepath.Join(dir, "ran"))
}

func badWorkdir(s *suite) {
	dir := s.opts.Dir(s.T)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		s.Fatal(err)
	}
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0); err != nil {
		s.Fatal(err)
	}
	bad := []string{filepath.Join(dir, "missing"), file, filepath.Join(file, "below")}
	if os.Getuid() != 0 { // root enters any directory
		bad = append(bad, closed)
	}
	fixture := s.open(Settings{Workdir: dir})
	for _, workdir := range bad {
		req := bash.Request{Command: "touch " + filepath.Join(dir, "ran"), Workdir: workdir}
		_, err := s.try(fixture, req)
		s.wantWorkdirError("Run", err, workdir)
		_, err = bash.Start(s.Context(), fixture.Executor, req)
		s.wantWorkdirError("Start", err, workdir)
	}
	s.wantAbsent(filepath.Join(dir, "ran"))
}

func (s *suite) wantWorkdirError(call string, err error, workdir string) {
	s.Helper()
	var bad *bash.WorkdirError
	if !errors.As(err, &bad) || bad.Dir != workdir || errors.Is(err, sandbox.ErrUnavailable) {
		s.Errorf("%s in %s: %v", call, workdir, err)
	}
}

func relativeWorkdir(s *suite) {
	dir := s.opts.Dir(s.T)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		s.Fatal(err)
	}
	result := s.runWith(s.open(Settings{Workdir: dir}), bash.Request{Command: "pwd -P", Workdir: "sub"})
	canonical, err := sandbox.Canonical(filepath.Join(dir, "sub"))
	if err != nil {
		s.Fatal(err)
	}
	s.wantText("stdout", result.Stdout.Text, canonical+"\n")
}

func linkedWorkdir(s *suite) {
	dir, err := sandbox.Canonical(s.opts.Dir(s.T))
	if err != nil {
		s.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "deep", "x"), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.Symlink("deep/x", filepath.Join(dir, "j")); err != nil {
		s.Skip(err)
	}
	result := s.runWith(s.open(Settings{Workdir: dir}), bash.Request{Command: "pwd -P", Workdir: "j/.."})
	s.wantText("stdout", result.Stdout.Text, filepath.Join(dir, "deep")+"\n")
}
