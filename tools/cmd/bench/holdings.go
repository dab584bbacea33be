package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/dsh-go/dsh/tools/internal/benchtable"
)

// holdings are what this program holds. Threads and descriptors are zero where
// they cannot be counted.
type holdings struct {
	goroutines, threads, descriptors int
	memory                           int64 // heap and stacks in use
}

// settleTime is how long the runtime is given to end what it has begun before
// memory or threads are looked at.
const settleTime = 100 * time.Millisecond

func held() holdings {
	runtime.GC()
	time.Sleep(settleTime)
	runtime.GC() // empties the pools, which keep one generation
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	threads, descriptors := countThreads(), countDescriptors()
	return holdings{runtime.NumGoroutine(), threads, descriptors, int64(m.HeapInuse + m.StackInuse)}
}

func (h holdings) minus(before holdings) holdings {
	return holdings{
		goroutines:  h.goroutines - before.goroutines,
		threads:     h.threads - before.threads,
		descriptors: h.descriptors - before.descriptors,
		memory:      h.memory - before.memory,
	}
}

// spare is how many threads beyond those of the processes are put down to the
// runtime, which starts some as it pleases.
const spare = 10

// compared are the rows of what n processes hold, each for one of them, beside
// what they hold with os/exec.
func (h holdings) compared(bare holdings, n int) benchtable.Table {
	none := benchtable.Quantity{Value: float64(spare) / float64(n)}
	count := benchtable.Quantity{Value: 3}
	memory := byteCount(32 << 10)
	var rows benchtable.Table
	for _, part := range []struct {
		what       string
		ours, bare int64
		unit       benchtable.Unit
		limit      *benchtable.Quantity
	}{
		{"goroutines", int64(h.goroutines), int64(bare.goroutines), benchtable.Count, &count},
		{"threads", int64(h.threads), int64(bare.threads), benchtable.Count, &none},
		{"heap and stacks", h.memory, bare.memory, benchtable.Bytes, &memory},
		{"descriptors", int64(h.descriptors), int64(bare.descriptors), benchtable.Count, nil},
	} {
		each := benchtable.Quantity{Value: float64(part.ours) / float64(n), Unit: part.unit}
		row := benchtable.Row{Name: fmt.Sprintf("%d idle commands: %s, each", n, part.what), Value: each}
		if part.bare == 0 && part.ours == 0 {
			rows = append(rows, benchtable.Row{Name: row.Name, Skipped: "cannot be counted on this system"})
			continue
		}
		if part.bare > 0 {
			row.Ratios = []benchtable.Ratio{{To: bareName, Value: float64(part.ours) / float64(part.bare)}}
		}
		if part.limit != nil {
			row.Targets = []benchtable.Target{benchtable.AtMost(each, *part.limit, "")}
		}
		rows = append(rows, row)
	}
	return rows
}
