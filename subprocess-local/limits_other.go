//go:build !linux

package subprocesslocal

// argumentLimit is 0: only the sum is limited here.
func argumentLimit() int64 { return 0 }
