package bashtest

import (
	"os"
	"strings"

	"github.com/dsh-go/dsh/bash"
)

var input = []scenario{
	{"a large input never deadlocks and its loss fails nothing", largeInput},
	{"a command that reads without an input gets none", noInput},
	{"an input that never comes holds nobody who does not read", silentInput},
}

func largeInput(s *suite) {
	const size = 4 << 20
	tests := []struct {
		command string
		exit    int
		stdout  int // bytes
	}{
		{"exit 0", 0, 0},
		{"exec <&-; sleep .2; exit 7", 7, 0},
		{"yes | head -c 300000; cat >/dev/null", 0, 300_000},
		{"cat | wc -c | tr -d ' '", 0, len("4194304\n")},
	}
	for _, tt := range tests {
		fixture := s.open(Settings{MaxBytes: 1 << 20})
		result := s.runWith(fixture, bash.Request{Command: tt.command, Stdin: strings.NewReader(strings.Repeat("x", size))})
		s.wantExit(result, tt.exit)
		if len(result.Stdout.Text) != tt.stdout {
			s.Errorf("%s: %d bytes of stdout, want %d", tt.command, len(result.Stdout.Text), tt.stdout)
		}
	}
}

// noInput has the test process's own standard input be a pipe that stays
// silent: a command that inherited it would wait for ever.
func noInput(s *suite) {
	read, write, err := os.Pipe()
	if err != nil {
		s.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	own := os.Stdin
	os.Stdin = read
	defer func() { os.Stdin = own }()

	for _, command := range []string{"cat; echo rc=$?", "cat </dev/null; cat; echo rc=$?"} {
		fixture := s.open(Settings{})
		s.wantText("foreground stdout", s.runWith(fixture, bash.Request{Command: command}).Stdout.Text, "rc=0\n")
		process := s.start(fixture, command)
		s.wait(process)
		s.wantText("background stdout", process.ReadOutput().Text, "rc=0\n")
	}
}

func silentInput(s *suite) {
	read, write, err := os.Pipe()
	if err != nil {
		s.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	result := s.run(bash.Request{Command: "echo done", Stdin: read})
	s.wantExit(result, 0)
	s.wantText("stdout", result.Stdout.Text, "done\n")
}
