// Package sidebyside does several things at once, as many as there are
// processors.
package sidebyside

import (
	"runtime"
	"sync"
)

// Do calls f for every item and returns when all calls have. The calls begin
// in the order of the items.
func Do[T any](items []T, f func(T)) {
	var running sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, item := range items {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			f(item)
		})
	}
	running.Wait()
}
