package subprocesslocal

import "github.com/dsh-go/dsh/bash/subprocess"

// restricted fails: nothing on this system confines a single thread.
func restricted(func() error, func()) error { return subprocess.ErrUnsupported }
