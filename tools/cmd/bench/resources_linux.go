package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

func countThreads() int { return entries("/proc/self/task") }

// countDescriptors includes the one that lists them.
func countDescriptors() int { return entries("/proc/self/fd") }

func entries(dir string) int {
	list, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	return len(list)
}

// residentGrowth is by how much the resident memory of this program grows at
// most while f runs.
func residentGrowth(f func() error) (int64, error) {
	debug.FreeOSMemory()
	const resetPeak = "5" // proc(5), /proc/pid/clear_refs
	if err := os.WriteFile("/proc/self/clear_refs", []byte(resetPeak), 0); err != nil {
		return 0, err
	}
	before, err := statusBytes("VmRSS")
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	peak, err := statusBytes("VmHWM")
	return peak - before, err
}

// statusBytes reads a size from /proc/self/status, where it is in KiB.
func statusBytes(field string) (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "\n"+field+":")
	words := strings.Fields(rest)
	if len(words) == 0 {
		return 0, fmt.Errorf("/proc/self/status lacks %s", field)
	}
	n, err := strconv.ParseInt(words[0], 10, 64)
	return n << 10, err
}
