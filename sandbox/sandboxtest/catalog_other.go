//go:build unix && !linux

package sandboxtest

import "slices"

// catalog returns every attempt that this system can make. Host and probe are
// the same program, so an index means the same to both.
func catalog() []attempt { return slices.Concat(portableAttempts(), renameAway()) }
