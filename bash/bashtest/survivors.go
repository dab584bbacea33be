package bashtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// nap returns a sleep command that nothing else on the machine runs, so that
// it can be found among all processes.
func nap() string { return fmt.Sprintf("sleep 6%d.%09d", rand.N(10), rand.N(1_000_000_000)) }

// wantGone checks that soon no process runs the command line any more.
func (s *suite) wantGone(commandLines ...string) {
	s.Helper()
	for _, line := range commandLines {
		deadline := time.Now().Add(2 * time.Second)
		for s.count(line) > 0 {
			if time.Now().After(deadline) {
				s.Errorf("%d processes still run %q", s.count(line), line)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// wantRunning waits until count processes run the command line.
func (s *suite) wantRunning(commandLine string, count int) {
	s.Helper()
	deadline := time.Now().Add(patience)
	for s.count(commandLine) != count {
		if time.Now().After(deadline) {
			s.Fatalf("%d processes run %q, want %d", s.count(commandLine), commandLine, count)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// count returns how many processes on this machine have exactly that command
// line.
func (s *suite) count(commandLine string) int {
	s.Helper()
	lines, err := processes()
	if err != nil {
		s.Fatalf("list processes: %v", err)
	}
	count := 0
	for _, line := range lines {
		if line == commandLine {
			count++
		}
	}
	return count
}

// processes returns the command lines of all processes.
func processes() ([]string, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		out, err := exec.Command("ps", "-A", "-o", "args=").Output()
		return strings.Split(string(out), "\n"), err
	}
	var lines []string
	for _, file := range files {
		if raw, err := os.ReadFile(file); err == nil {
			lines = append(lines, string(bytes.ReplaceAll(bytes.TrimSuffix(raw, []byte{0}), []byte{0}, []byte{' '})))
		}
	}
	return lines, nil
}
