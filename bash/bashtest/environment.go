package bashtest

import (
	"slices"
	"strings"

	"github.com/dsh-go/dsh/bash"
)

var environment = []scenario{
	{"ambient credentials are not inherited, look-alikes are", credentials},
	{"managed entries cannot be displaced", managed},
	{"the defaults suit a program without a terminal, and give way", terminalDefaults},
	{"an unusual environment breaks nothing", unusual},
	{"bytes that are no text pass unchanged", rawBytes},
	{"no profile or rc file is read", noProfile},
}

// env returns what a command sees, foreground and background alike.
func (s *suite) env(req bash.Request) []string {
	s.Helper()
	fixture := s.open(Settings{})
	req.Command = "env | sort"
	result := s.runWith(fixture, req)
	s.wantExit(result, 0)
	process, err := bash.Start(s.Context(), fixture.Executor, req)
	if err != nil {
		s.Fatal(err)
	}
	s.wait(process)
	foreground, background := named(result.Stdout.Text), named(process.ReadOutput().Text)
	if !slices.Equal(foreground, background) {
		s.Errorf("foreground has %q, background %q", foreground, background)
	}
	return strings.Split(result.Stdout.Text, "\n")
}

// named returns the names of env's output.
func named(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		if name, _, ok := strings.Cut(line, "="); ok && name != "_" && !uniquePerStart(name) {
			names = append(names, name)
		}
	}
	return names
}

// uniquePerStart recognises a name that may hold a start's random id: it is
// longer than any name that a scenario here is about.
func uniquePerStart(name string) bool { return len(name) > 24 }

func credentials(s *suite) {
	gone := []string{"OPENAI_API_KEY", "aws_secret_access_key", "Db_Password", "GH_TOKEN"}
	kept := []string{"SSH_AUTH_SOCK", "TOKENIZERS_PARALLELISM", "MONKEY", "KEYBOARD_LAYOUT"}
	for _, name := range slices.Concat(gone, kept) {
		s.Setenv(name, "ambient")
	}
	env := s.env(bash.Request{})
	for _, name := range gone {
		if slices.Contains(env, name+"=ambient") {
			s.Errorf("%s is inherited", name)
		}
	}
	for _, name := range kept {
		if !slices.Contains(env, name+"=ambient") {
			s.Errorf("%s is not inherited", name)
		}
	}
	if env := s.env(bash.Request{Env: map[string]string{"GH_TOKEN": "given"}}); !slices.Contains(env, "GH_TOKEN=given") {
		s.Error("what the caller set is gone")
	}
}

func managed(s *suite) {
	s.Setenv("DSH_STALE", "1")
	s.Setenv("dsh_x", "1")
	env := s.env(bash.Request{Env: map[string]string{"DSH_ID": "evil"}, Managed: map[string]string{"DSH_ID": "good"}})
	var got []string
	for _, entry := range env {
		if strings.HasPrefix(strings.ToLower(entry), "dsh_") {
			got = append(got, entry)
		}
	}
	slices.Sort(got)
	if want := []string{"DSH_ID=good", "dsh_x=1"}; !slices.Equal(got, want) {
		s.Errorf("got %q, want %q", got, want)
	}
}

func terminalDefaults(s *suite) {
	s.Setenv("TERM", "xterm")
	s.Setenv("LANGUAGE", "de")
	env := s.env(bash.Request{Env: map[string]string{"PAGER": "less"}})
	for _, entry := range []string{"NO_COLOR=1", "TERM=dumb", "GIT_PAGER=cat", "LANGUAGE=en", "PAGER=less"} {
		if !slices.Contains(env, entry) {
			s.Errorf("%s is missing", entry)
		}
	}
}

func unusual(s *suite) {
	fixture := s.open(Settings{})
	s.Setenv("TMPDIR", "/nonexistent")
	result := s.runWith(fixture, bash.Request{Command: "unset HOME; echo ok; cd; echo rc=$?"})
	s.wantExit(result, 0)
	s.wantText("stdout", result.Stdout.Text, "ok\nrc=1\n")
	if lines := strings.Count(result.Stderr.Text, "\n"); lines != 1 || !strings.Contains(result.Stderr.Text, "HOME not set") {
		s.Errorf("stderr %q", result.Stderr.Text)
	}
}

func rawBytes(s *suite) {
	result := s.run(bash.Request{
		Command: `printf %s "$B" | od -An -tx1 | tr -d ' '`,
		Env:     map[string]string{"B": "\xff\xfe"},
	})
	s.wantText("stdout", result.Stdout.Text, "fffe\n")
}

func noProfile(s *suite) {
	result := s.run(bash.Request{Command: `shopt -q login_shell && echo login; case $- in *i*) echo interactive;; esac; echo plain`})
	s.wantText("stdout", result.Stdout.Text, "plain\n")
}
