package sidebyside

import (
	"runtime"
	"sync/atomic"
	"testing"
)

func TestDo(t *testing.T) {
	var running, calls atomic.Int32
	items := make([]int, 50)
	Do(items, func(int) {
		if n := running.Add(1); int(n) > runtime.GOMAXPROCS(0) {
			t.Errorf("%d at once", n)
		}
		runtime.Gosched()
		calls.Add(1)
		running.Add(-1)
	})
	if n := calls.Load(); int(n) != len(items) {
		t.Errorf("%d calls had ended for %d items", n, len(items))
	}
}
