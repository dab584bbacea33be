package bashtest

import (
	"encoding/json"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dsh-go/dsh/bash"
)

var output = []scenario{
	{"output beyond the cap is kept on disk", spilled},
	{"endless output is bounded in memory and on disk", endless},
	{"one huge line is only a line", hugeLine},
	{"bytes that are no text are replaced, and kept on disk", undecodable},
	{"the order and every carriage return are kept", orderAndCR},
	{"output is observed in order as it comes", observed},
	{"no output is no output", silent},
}

func spilled(s *suite) {
	fixture := s.open(Settings{MaxBytes: 64_000})
	result := s.runWith(fixture, bash.Request{Command: "seq 1 200000; echo E >&2"})
	s.wantExit(result, 0)
	if !result.Stdout.Truncated || len(result.Stdout.Text) > 64_000 || !strings.HasSuffix(result.Stdout.Text, "\n200000\n") {
		s.Errorf("truncated %v, %d bytes", result.Stdout.Truncated, len(result.Stdout.Text))
	}
	s.wantFileSize(result.Stdout.SpillPath, 1_288_895)
	if result.Stderr != (bash.Output{Text: "E\n"}) {
		s.Errorf("stderr %+v", result.Stderr)
	}
}

// endless is bounded by timeout(1), not by luck.
func endless(s *suite) {
	const memory, disk = 64_000, 1 << 20
	fixture := s.open(Settings{MaxBytes: memory, SpillBytes: disk})
	result := s.runWith(fixture, bash.Request{Command: "timeout 1 yes", Timeout: 20 * time.Second})
	s.wantExit(result, 124)
	if len(result.Stdout.Text) > memory || !result.Stdout.Truncated || !strings.HasSuffix(result.Stdout.Text, "y\n") {
		s.Errorf("%d bytes in memory, truncated %v", len(result.Stdout.Text), result.Stdout.Truncated)
	}
	if result.Stdout.SpillPath != "" {
		s.Errorf("names the incomplete file %s", result.Stdout.SpillPath)
	}
}

func hugeLine(s *suite) {
	result := s.run(bash.Request{Command: `head -c 3000000 /dev/zero | tr '\0' x; echo; echo end`})
	s.wantExit(result, 0)
	if !strings.HasSuffix(result.Stdout.Text, "x\nend\n") {
		s.Errorf("text ends %q", result.Stdout.Text[max(0, len(result.Stdout.Text)-20):])
	}
	s.wantFileSize(result.Stdout.SpillPath, 3_000_005)
}

func undecodable(s *suite) {
	const command, raw = `printf 'a\0b\xff\xfec\n'`, "a\x00b\xff\xfec\n"
	result := s.run(bash.Request{Command: command})
	s.wantExit(result, 0)
	s.wantText("stdout", result.Stdout.Text, "a\x00b\uFFFD\uFFFDc\n")
	if _, err := json.Marshal(result.Stdout.Text); err != nil || !utf8.ValidString(result.Stdout.Text) {
		s.Errorf("%q is not valid text: %v", result.Stdout.Text, err)
	}
	tiny := s.runWith(s.open(Settings{MaxBytes: 2}), bash.Request{Command: command})
	if kept, err := os.ReadFile(tiny.Stdout.SpillPath); err != nil || string(kept) != raw {
		s.Errorf("the file holds %q, %v, want %q", kept, err, raw)
	}
}

func orderAndCR(s *suite) {
	result := s.run(bash.Request{Command: `{ echo o1; echo e1 >&2; echo o2; echo e2 >&2; } 2>&1; printf '\r1%%\r2%%\n'`})
	s.wantText("stdout", result.Stdout.Text, "o1\ne1\no2\ne2\n\r1%\r2%\n")
	result = s.run(bash.Request{Command: `echo o1; echo e1 >&2; echo o2; echo e2 >&2`})
	s.wantText("stdout", result.Stdout.Text, "o1\no2\n")
	s.wantText("stderr", result.Stderr.Text, "e1\ne2\n")
}

func observed(s *suite) {
	var out, err strings.Builder
	result := s.run(bash.Request{
		Command: "for i in 1 2 3 4 5; do echo $i; echo e$i >&2; done; seq 1 100000",
		Observe: func(stream bash.Stream, chunk []byte) {
			if stream == bash.Stderr {
				err.Write(chunk)
			} else {
				out.Write(chunk)
			}
		},
	})
	s.wantExit(result, 0)
	if !strings.HasPrefix(out.String(), "1\n2\n3\n4\n5\n1\n2\n") || !strings.HasSuffix(out.String(), "\n100000\n") || out.Len() != 588_895+10 {
		s.Errorf("observed %d bytes of stdout", out.Len())
	}
	s.wantText("observed stderr", err.String(), "e1\ne2\ne3\ne4\ne5\n")
}

func silent(s *suite) {
	result := s.run(bash.Request{Command: "true"})
	s.wantExit(result, 0)
	if result.Stdout != (bash.Output{}) || result.Stderr != (bash.Output{}) {
		s.Errorf("stdout %+v, stderr %+v", result.Stdout, result.Stderr)
	}
}

func (s *suite) wantFileSize(path string, size int64) {
	s.Helper()
	if info, err := os.Stat(path); err != nil || info.Size() != size {
		s.Errorf("the file %q: %v, %v, want %d bytes", path, info, err, size)
	}
}
