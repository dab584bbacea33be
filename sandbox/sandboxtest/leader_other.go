//go:build !linux

package sandboxtest

import "context"

// namesLeader has no way to make sure that a process is the runner's.
func namesLeader(_ context.Context, e *examination) error {
	e.passOver("it is not known here whose process that is")
	return nil
}
