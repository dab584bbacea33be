package subprocesslocal

import (
	"strings"
	"unicode/utf8"
)

// maxRuneRest is how many bytes of a rune can stand before or after a point
// inside it.
const maxRuneRest = utf8.UTFMax - 1

// firstWindow is the size with which a window's memory starts.
const firstWindow = 1024

// window is the tail of a stream: its last max bytes, and the few before them
// that tell whether the tail begins inside a rune. Its memory grows with the
// stream and never beyond max and those few. Offsets count from the beginning
// of the stream. It is not safe for concurrent use.
type window struct {
	max   int
	ring  []byte // the oldest byte is at first once it is full
	first int
	held  int   // bytes in ring
	total int64 // length of the stream so far
}

// start is the offset of the oldest byte that the window shows.
func (w *window) start() int64 { return max(w.total-int64(w.max), 0) }

// limit is how many bytes the window may hold.
func (w *window) limit() int {
	if w.max == 0 {
		return 0
	}
	return w.max + maxRuneRest
}

// add appends p to the stream.
func (w *window) add(p []byte) {
	w.total += int64(len(p))
	if len(p) >= w.limit() {
		p = p[len(p)-w.limit():]
		w.first, w.held = 0, 0
	}
	w.grow(w.held + len(p))
	w.drop(w.held + len(p) - len(w.ring))
	end := w.index(w.held)
	n := copy(w.ring[end:], p)
	copy(w.ring, p[n:])
	w.held += len(p)
}

// grow makes room for n bytes, as far as the limit allows.
func (w *window) grow(n int) {
	n = min(n, w.limit())
	if n <= len(w.ring) {
		return
	}
	size := min(max(n, 2*len(w.ring), firstWindow), w.limit())
	ring := make([]byte, size)
	head, tail := w.parts(0, w.held)
	copy(ring[copy(ring, head):], tail)
	w.ring, w.first = ring, 0
}

// drop forgets the n oldest bytes.
func (w *window) drop(n int) {
	if n > 0 {
		w.first = w.index(n)
		w.held -= n
	}
}

// index is where in ring the i-th held byte is.
func (w *window) index(i int) int {
	if len(w.ring) == 0 {
		return 0
	}
	return (w.first + i) % len(w.ring)
}

// parts returns the held bytes from i to j in the two pieces in which the ring
// holds them.
func (w *window) parts(i, j int) (head, tail []byte) {
	if i >= j {
		return nil, nil
	}
	from, n := w.index(i), j-i
	if from+n <= len(w.ring) {
		return w.ring[from : from+n], nil
	}
	return w.ring[from:], w.ring[:from+n-len(w.ring)]
}

// read returns the text from offset on, as [subprocess.Reader] describes it.
// Ended says that nothing will follow, so nothing is held back.
func (w *window) read(offset int64, ended bool) (text string, next int64, lossy bool) {
	offset = min(max(offset, 0), w.total)
	from := max(offset, w.start())
	lossy = offset < from
	to := w.total
	if !ended {
		to -= int64(w.unfinished())
	}
	from += int64(w.insideRune(from))
	if from >= to {
		return "", max(from, to, offset), lossy
	}
	return w.text(from, to), to, lossy
}

// unfinished is how many bytes at the end begin a rune that is not complete.
func (w *window) unfinished() int {
	var buf [maxRuneRest]byte
	last := w.peek(buf[:0], w.total-maxRuneRest, w.total)
	for n := 1; n <= len(last); n++ {
		tail := last[len(last)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// insideRune is how many bytes from offset on belong to a rune that begins
// before it. A byte that can begin a rune is never inside one, so the nearest
// such byte decides.
func (w *window) insideRune(offset int64) int {
	var buf [2 * maxRuneRest]byte
	around := w.peek(buf[:0], offset-maxRuneRest, offset)
	before := len(around)
	around = w.peek(around, offset, offset+maxRuneRest)
	for back := 1; back <= before; back++ {
		lead := around[before-back:]
		if utf8.RuneStart(lead[0]) {
			_, size := utf8.DecodeRune(lead)
			return max(size-back, 0)
		}
	}
	return 0
}

// peek appends the bytes between two offsets to buf; what is not held is left
// out.
func (w *window) peek(buf []byte, from, to int64) []byte {
	oldest := w.total - int64(w.held)
	from, to = max(from, oldest), min(to, w.total)
	head, tail := w.parts(int(from-oldest), int(to-oldest))
	return append(append(buf, head...), tail...)
}

// text is the text of the held bytes between two offsets.
func (w *window) text(from, to int64) string {
	oldest := w.total - int64(w.held)
	head, tail := w.parts(int(from-oldest), int(to-oldest))
	var raw strings.Builder
	raw.Grow(len(head) + len(tail))
	raw.Write(head)
	raw.Write(tail)
	return validText(raw.String())
}

// bytes is a copy of what the window shows.
func (w *window) bytes() []byte {
	shown := int(w.total - w.start())
	return w.peek(make([]byte, 0, shown), w.start(), w.total)
}

// validText replaces each byte of s that is not UTF-8 by U+FFFD.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
