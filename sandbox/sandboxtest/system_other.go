//go:build !linux

package sandboxtest

import "runtime"

// system names the system and the architecture.
func system() string { return runtime.GOOS + " " + runtime.GOARCH }
