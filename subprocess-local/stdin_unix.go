//go:build linux || darwin

package subprocesslocal

import (
	"io"
	"log/slog"
	"os"
)

// pump copies a caller's input into a pipe and closes it. Most errors only say
// that the process did not want all of it. It ends when the pipe is closed
// under it, but not while a read of from blocks.
func pump(to *os.File, from io.Reader, log *slog.Logger) {
	_, err := io.Copy(to, from)
	log.Debug("standard input ended", "error", err)
	to.Close()
}

// write writes what did not fit into the pipe at once.
func (f feed) write() {
	f.to.Write(f.rest)
	f.to.Close()
}
