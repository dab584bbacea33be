//go:build !unix

package sandboxtest

import "os"

// writeProgram writes an executable file.
func writeProgram(path string, program []byte) error { return os.WriteFile(path, program, 0o755) }
