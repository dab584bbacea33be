//go:build unix

package sandboxtest

import (
	"os"
	"syscall"
)

// writeProgram writes an executable file. The lock keeps a fork elsewhere in
// this process from holding it open for writing, which would make it busy.
func writeProgram(path string, program []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, program, 0o755)
}
