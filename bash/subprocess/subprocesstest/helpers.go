package subprocesstest

import (
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

func decimal(n int) string { return strconv.Itoa(n) }

// canonicalTempDir is a temporary directory as pwd -P would print it.
func canonicalTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// allocations is how many allocations a call makes.
func allocations(call func()) float64 { return testing.AllocsPerRun(100, call) }

// heap is the memory in use after a collection.
func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapInuse)
}
