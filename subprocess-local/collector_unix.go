//go:build linux || darwin

package subprocesslocal

import (
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
)

// collector reads a stream to its end and keeps its tail. It implements
// [subprocess.Reader].
type collector struct {
	file *os.File
	conn syscall.RawConn

	// observe, if set, sees each chunk while observing is held.
	observe   func([]byte)
	observing *sync.Mutex
	spill     *spill // nil if the stream is not to be spilled; used by run only

	mu      sync.Mutex
	window  window
	ended   bool
	spilled *spillFile // the spill to name, or nil
}

func (c *collector) run() {
	var r chunkReader
	for r.next(c.conn) {
		c.take(r.buf[:r.n])
		r.release()
	}
	c.takeRest()
	c.file.Close()
	c.finish()
}

// takeRest takes in what was in the pipe when the deadline passed, for a
// deadline does not say that there is nothing. What a descendant goes on to
// write is not waited for.
func (c *collector) takeRest() {
	rest := waiting(c.conn)
	if rest == 0 {
		return
	}
	buf := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(buf)
	for rest > 0 {
		n := readNow(c.conn, buf[:min(rest, chunkSize)])
		if n == 0 {
			return
		}
		c.take(buf[:n])
		rest -= n
	}
}

// take adds a chunk to what is kept, and then shows it to the observer.
func (c *collector) take(chunk []byte) {
	c.keep(chunk)
	if c.observe != nil {
		c.observing.Lock()
		defer c.observing.Unlock()
		c.observe(chunk)
	}
}

// keep writes to the spill before the window moves on, and outside of the
// lock, so that no reader waits for a disk. Nobody else changes the window.
func (c *collector) keep(chunk []byte) {
	var file *spillFile
	if c.spill != nil {
		file = c.spill.take(&c.window, chunk)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.window.add(chunk)
	c.spilled = file
}

func (c *collector) finish() {
	var file *spillFile
	if c.spill != nil {
		file = c.spill.finish()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spilled = file
	c.ended = true
}

// until lets go of the stream at a time, whoever still holds its other end.
func (c *collector) until(deadline time.Time) {
	if c != nil {
		c.file.SetReadDeadline(deadline) // fails only once c has let go
	}
}

// ReadFrom implements [subprocess.Reader].
func (c *collector) ReadFrom(offset int64) subprocess.Chunk {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, next, lossy := c.window.read(offset, c.ended)
	return subprocess.Chunk{Text: text, Next: next, Lossy: lossy, SpillPath: c.spilled.name()}
}

// raw is a copy of the bytes that are kept.
func (c *collector) raw() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.window.bytes()
}
