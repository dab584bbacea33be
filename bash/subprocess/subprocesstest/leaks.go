package subprocesstest

import (
	"os"
	"os/signal"
	"runtime"
	"testing"
	"time"
)

// holdings is what a service must have given back once it is closed.
type holdings struct{ goroutines, descriptors int }

// settleRuntime has the runtime make, before anything is counted, what it makes
// once and keeps: the goroutine that delivers signals and the descriptors of
// its poller.
func settleRuntime() {
	if r, w, err := os.Pipe(); err == nil {
		r.Close()
		w.Close()
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	signal.Stop(signals)
}

// takeHoldings counts descriptors where the system lists them.
func takeHoldings() holdings {
	descriptors, _ := os.ReadDir("/dev/fd")
	return holdings{runtime.NumGoroutine(), len(descriptors)}
}

// checkHoldings fails the test if it ends with more than it began with. What
// ends by itself is given a moment.
func checkHoldings(t *testing.T, before holdings) {
	t.Helper()
	var now holdings
	for deadline := time.Now().Add(tooLong); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		now = takeHoldings()
		if now.goroutines <= before.goroutines && now.descriptors <= before.descriptors {
			return
		}
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("held before: %+v, and after Close: %+v\n%s", before, now, stacks[:runtime.Stack(stacks, true)])
}
