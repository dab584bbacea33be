package subprocesslocal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// wholeText is the plain way to say what a window shows: it keeps the whole
// stream, decodes it from its beginning and takes the units that begin within
// the window.
func wholeText(stream []byte, size int, offset int64, ended bool) (text string, next int64, lossy bool) {
	total := int64(len(stream))
	offset = min(max(offset, 0), total)
	start := max(total-int64(size), 0)
	from := max(offset, start)
	var out strings.Builder
	next = from
	for i := 0; i < len(stream); {
		if !ended && !utf8.FullRune(stream[i:]) {
			break
		}
		r, n := utf8.DecodeRune(stream[i:])
		if int64(i) >= from {
			out.WriteRune(r)
		}
		i += n
		next = max(next, int64(i))
	}
	return out.String(), next, offset < start
}

func TestWindowGrowsWithTheStreamAndNotBeyondItsLimit(t *testing.T) {
	w := window{max: 64_000}
	w.add([]byte("x"))
	if cap(w.ring) > firstWindow {
		t.Errorf("one byte takes %d bytes", cap(w.ring))
	}
	for range 100 {
		w.add(make([]byte, 7_777))
	}
	w.add(make([]byte, 1<<20))
	if cap(w.ring) > w.max+maxRuneRest {
		t.Errorf("a window of %d bytes takes %d", w.max, cap(w.ring))
	}
	if text, _, _ := w.read(0, true); len(text) != w.max {
		t.Errorf("it shows %d bytes", len(text))
	}
}

func TestWindowShowsWhatThePlainWayShows(t *testing.T) {
	stream := []byte("aé€𝄞\xff\xfe\x80b\xe2\x82c\xf0\x9d\x84é\xe2\x82")
	for size := range 12 {
		for _, step := range []int{1, 2, 3, 5, len(stream)} {
			w := window{max: size}
			for at := 0; at < len(stream); at += step {
				upTo := min(at+step, len(stream))
				w.add(stream[at:upTo])
				for offset := int64(-1); offset <= int64(upTo)+1; offset++ {
					compare(t, &w, stream[:upTo], offset)
				}
			}
		}
	}
}

func compare(t *testing.T, w *window, stream []byte, offset int64) {
	t.Helper()
	for _, ended := range []bool{false, true} {
		text, next, lossy := w.read(offset, ended)
		wantText, wantNext, wantLossy := wholeText(stream, w.max, offset, ended)
		if text != wantText || next != wantNext || lossy != wantLossy {
			t.Fatalf("stream %q, window %d, offset %d, ended %v:\ngot  %q, %d, %v\nwant %q, %d, %v",
				stream, w.max, offset, ended, text, next, lossy, wantText, wantNext, wantLossy)
		}
	}
	shown := stream[max(len(stream)-w.max, 0):]
	if !bytes.Equal(w.bytes(), shown) {
		t.Fatalf("stream %q, window %d: bytes %q, want %q", stream, w.max, w.bytes(), shown)
	}
}

func TestReadsInARowGiveTheWholeText(t *testing.T) {
	stream := []byte("aé€𝄞\xff\xfeb\xe2\x82c\xf0\x9d\x84")
	w := window{max: 100}
	var all strings.Builder
	var offset int64
	for i := range stream {
		w.add(stream[i : i+1])
		text, next, _ := w.read(offset, i == len(stream)-1)
		all.WriteString(text)
		offset = next
	}
	if want := string([]rune(string(stream))); all.String() != want {
		t.Errorf("%q, want %q", all.String(), want)
	}
}

func TestReadingNothingNewAllocatesNothing(t *testing.T) {
	for _, stream := range []string{"", "abc", strings.Repeat("€", 1000) + "\xe2"} {
		w := window{max: 64}
		w.add([]byte(stream))
		_, end, _ := w.read(0, false)
		if n := testing.AllocsPerRun(100, func() { w.read(end, false) }); n != 0 {
			t.Errorf("a stream of %d bytes: %v allocations", len(stream), n)
		}
	}
}

func FuzzWindow(f *testing.F) {
	f.Add([]byte("aé€𝄞\xff\x80b\xe2\x82"), uint16(5), uint16(3), int64(2))
	f.Add([]byte(strings.Repeat("\xf0\x9d\x84\x9e", 600)), uint16(1500), uint16(1025), int64(1501))
	f.Fuzz(func(t *testing.T, stream []byte, size, step uint16, offset int64) {
		stream = stream[:min(len(stream), 4<<10)] // the plain way is quadratic
		w := window{max: int(size) % 3000}
		chunk := 1 + int(step)%1100
		for at := 0; at < len(stream); at += chunk {
			upTo := min(at+chunk, len(stream))
			w.add(stream[at:upTo])
			compare(t, &w, stream[:upTo], offset)
			compare(t, &w, stream[:upTo], int64(at))
		}
	})
}

func BenchmarkWindowAdd(b *testing.B) {
	for _, size := range []int{512, 4 << 10, 64 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			w, chunk := window{max: 64_000}, make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				w.add(chunk)
			}
		})
	}
}

func BenchmarkWindowPoll(b *testing.B) {
	w := window{max: 64_000}
	w.add(make([]byte, 100_000))
	_, end, _ := w.read(0, false)
	b.ReportAllocs()
	for b.Loop() {
		w.read(end, false)
	}
}
