package subprocesslocal

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// holdings is what a service must give back.
type holdings struct {
	descriptors, goroutines int
	children                []int
	spills                  []string
}

func take() holdings {
	h := holdings{goroutines: runtime.NumGoroutine(), children: children()}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.descriptors = len(entries)
	}
	for _, base := range spillBases(Config{}) {
		dirs, _ := filepath.Glob(filepath.Join(base, spillDirPrefix+"*"))
		h.spills = append(h.spills, dirs...)
	}
	return h
}

// moreThan reports whether h holds something that before did not.
func (h holdings) moreThan(before holdings) bool {
	more := func(now, then int) bool { return now > then }
	for _, pid := range h.children {
		if !slices.Contains(before.children, pid) {
			return true
		}
	}
	for _, dir := range h.spills {
		if !slices.Contains(before.spills, dir) {
			return true
		}
	}
	return more(h.descriptors, before.descriptors) || more(h.goroutines, before.goroutines)
}

// checkLeaks fails the test if, at its end, something is held that was not
// held before. Call it before anything else registers a cleanup.
func checkLeaks(t testing.TB) {
	t.Helper()
	before := take()
	t.Cleanup(func() {
		var after holdings
		for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			if after = take(); !after.moreThan(before) {
				return
			}
			if time.Now().After(deadline) {
				break
			}
		}
		t.Errorf("left behind: before %+v, after %+v\n%s", before, after, stacks())
	})
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

// carriers are the processes of this machine whose command line contains mark
// as one of its words.
func carriers(mark string) []string {
	var found []string
	lines, _ := filepath.Glob("/proc/[1-9]*/cmdline")
	for _, line := range lines {
		content, err := os.ReadFile(line)
		if err == nil && slices.Contains(strings.Split(string(content), "\x00"), mark) {
			found = append(found, filepath.Base(filepath.Dir(line)))
		}
	}
	return found
}
