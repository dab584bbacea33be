//go:build linux || darwin

package subprocesslocal

import (
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// chunkSize is the size of one read: what a pipe holds by default. Smaller
// reads cost throughput, larger ones gain nothing.
const chunkSize = 64 << 10

// chunks are buffers for reading, for all collectors. One holds a buffer only
// while there is something to read, so idle processes cost none.
var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// chunkReader waits for what comes through a pipe.
type chunkReader struct {
	buf  *[chunkSize]byte // nil while there is nothing
	n    int
	read func(fd uintptr) bool // tryRead; made once, because it escapes
}

// next waits for the next chunk, which is buf[:n] until release. It is false,
// and holds no buffer, at the end of the stream and once the deadline of the
// pipe has passed.
func (r *chunkReader) next(conn syscall.RawConn) bool {
	if r.read == nil {
		r.read = r.tryRead
	}
	err := conn.Read(r.read)
	if err == nil && r.n > 0 {
		return true
	}
	r.release()
	return false
}

// tryRead reports whether there is no reason to wait.
func (r *chunkReader) tryRead(fd uintptr) bool {
	r.buf = chunks.Get().(*[chunkSize]byte)
	for {
		n, err := unix.Read(int(fd), r.buf[:])
		switch err {
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			r.release()
			return false
		}
		r.n = max(n, 0)
		return true
	}
}

// release gives the buffer back.
func (r *chunkReader) release() {
	if r.buf != nil {
		chunks.Put(r.buf)
	}
	r.buf, r.n = nil, 0
}
