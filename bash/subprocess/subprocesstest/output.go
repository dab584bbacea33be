package subprocesstest

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dsh-go/dsh/bash/subprocess"
)

var outputTests = []test{
	{"streams keep their order and their carriage returns", streamOrder},
	{"one huge line does not stop the reader", hugeLine},
	{"bytes that are no text become replacement characters in place", undecodable},
	{"reads go on where the last one ended", incrementalReads},
	{"a reader is told what it lost", lossIsFlagged},
	{"a rune in two pieces is held back until it is whole", splitRune},
	{"a rune that never completes appears when the stream ends", truncatedRune},
	{"the window never begins inside a rune", windowEdge},
	{"offsets out of range are taken for the nearest", oddOffsets},
	{"reading nothing new costs no allocation", freeReads},
	{"a window of zero bytes keeps nothing and blocks nobody", zeroWindow},
	{"observers see every byte in order and never two at a time", observers},
	{"a pipe goes to the caller alone", callerPipes},
	{"memory is bounded whatever is printed", flood},
}

func streamOrder(f *fixture) {
	_, stdout, _ := f.run(shell(`{ echo o1; echo e1 >&2; echo o2; echo e2 >&2; } 2>&1; printf '\r1%%\r2%%\n'`))
	if want := "o1\ne1\no2\ne2\n\r1%\r2%\n"; stdout != want {
		f.Errorf("stdout %q, want %q", stdout, want)
	}
	_, stdout, stderr := f.run(shell(`echo o1; echo e1 >&2; echo o2; echo e2 >&2`))
	if stdout != "o1\no2\n" || stderr != "e1\ne2\n" {
		f.Errorf("stdout %q, stderr %q", stdout, stderr)
	}
}

func hugeLine(f *fixture) {
	outcome, stdout, _ := f.run(shell(`head -c 3000000 /dev/zero | tr '\0' x; echo; echo end`))
	if outcome.ExitCode != 0 || !strings.HasSuffix(stdout, "x\nend\n") || len(stdout) != memory {
		f.Errorf("%+v, %d bytes ending in %q", outcome, len(stdout), stdout[max(0, len(stdout)-10):])
	}
}

func undecodable(f *fixture) {
	_, stdout, _ := f.run(shell(`printf 'a\000b\377\376c\n'`))
	if want := "a\x00b\uFFFD\uFFFDc\n"; stdout != want {
		f.Errorf("stdout %q, want %q", stdout, want)
	}
	if _, err := json.Marshal(stdout); err != nil || !utf8.ValidString(stdout) {
		f.Errorf("stdout %q is no text: %v", stdout, err)
	}
}

func incrementalReads(f *fixture) {
	handle := f.start(shell(`i=1; while [ $i -le 50 ]; do echo $i; i=$((i+1)); sleep 0.01; done`))
	var all, want strings.Builder
	offset := int64(0)
	read := func() int {
		chunk := handle.Stdout().ReadFrom(offset)
		all.WriteString(chunk.Text)
		offset = chunk.Next
		if chunk.Lossy {
			f.Errorf("loss at %d", offset)
		}
		return len(chunk.Text)
	}
	for ended := false; !ended; {
		read()
		select {
		case <-handle.Done():
			ended = true
		case <-time.After(15 * time.Millisecond):
		}
	}
	read()
	for i := 1; i <= 50; i++ {
		want.WriteString(decimal(i) + "\n")
	}
	if all.String() != want.String() {
		f.Errorf("the reads together are %q", all.String())
	}
	if n := read(); n != 0 {
		f.Errorf("a read after the end gave %d bytes", n)
	}
}

func lossIsFlagged(f *fixture) {
	handle := f.start(shell(`i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done; echo E >&2`))
	f.finish(handle)
	chunk := handle.Stdout().ReadFrom(0)
	if !chunk.Lossy || !strings.HasSuffix(chunk.Text, "line 19999\n") || len(chunk.Text) != memory {
		f.Errorf("lossy %v, %d bytes", chunk.Lossy, len(chunk.Text))
	}
	if again := handle.Stdout().ReadFrom(chunk.Next); again.Text != "" || again.Lossy || again.Next != chunk.Next {
		f.Errorf("the next read: %+v", again)
	}
	if stderr := handle.Stderr().ReadFrom(0); stderr.Text != "E\n" || stderr.Lossy {
		f.Errorf("stderr: %+v", stderr)
	}
}

func splitRune(f *fixture) {
	spec := shell(`printf 'a\342\202'; read go; printf '\254b'`)
	spec.StdinPipe = true
	handle := f.start(spec)
	f.printed(handle.Stdout(), "a")
	time.Sleep(20 * time.Millisecond) // the rest of the rune's bytes may arrive late
	first := handle.Stdout().ReadFrom(0)
	if first.Text != "a" || first.Next != 1 {
		f.Errorf("before the rune is whole: %+v", first)
	}
	io.WriteString(handle.Pipes().Stdin, "\n")
	handle.Pipes().Stdin.Close()
	f.finish(handle)
	if rest := handle.Stdout().ReadFrom(first.Next); rest.Text != "€b" || rest.Lossy {
		f.Errorf("afterwards: %+v", rest)
	}
}

func truncatedRune(f *fixture) {
	if _, stdout, _ := f.run(shell(`printf 'a\342\202'`)); stdout != "a\uFFFD\uFFFD" {
		f.Errorf("stdout %q", stdout)
	}
}

func windowEdge(f *fixture) {
	for size := 1; size <= 12; size++ {
		spec := shell(`printf '%s' 'aé€𝄞aé€𝄞aé€𝄞'`)
		spec.Stdout.MaxBytes = size
		_, stdout, _ := f.run(spec)
		if strings.ContainsRune(stdout, utf8.RuneError) || len(stdout) > size || len(stdout) < size-3 {
			f.Errorf("a window of %d bytes shows %q", size, stdout)
		}
		if !strings.HasSuffix("aé€𝄞aé€𝄞aé€𝄞", stdout) {
			f.Errorf("a window of %d bytes shows %q, which is no tail", size, stdout)
		}
	}
}

func oddOffsets(f *fixture) {
	handle := f.start(shell(`printf abc`))
	f.finish(handle)
	for offset, want := range map[int64]subprocess.Chunk{
		-1: {Text: "abc", Next: 3}, 1: {Text: "bc", Next: 3}, 3: {Next: 3}, 1 << 40: {Next: 3},
	} {
		if got := handle.Stdout().ReadFrom(offset); got != want {
			f.Errorf("ReadFrom(%d) = %+v, want %+v", offset, got, want)
		}
	}
}

func freeReads(f *fixture) {
	handle := f.start(shell(`head -c 100000 /dev/zero | tr '\0' x; printf '\342'`))
	f.finish(handle)
	end := handle.Stdout().ReadFrom(0).Next
	if n := allocations(func() { handle.Stdout().ReadFrom(end) }); n != 0 {
		f.Errorf("a read with nothing new makes %v allocations", n)
	}
}

func zeroWindow(f *fixture) {
	spec := shell(`head -c 1000000 /dev/zero; echo e >&2`)
	spec.Stdout = subprocess.Output{}
	handle := f.start(spec)
	f.finish(handle)
	if got, want := handle.Stdout().ReadFrom(0), (subprocess.Chunk{Next: 1000000, Lossy: true}); got != want {
		f.Errorf("ReadFrom = %+v, want %+v", got, want)
	}
}

func observers(f *fixture) {
	var mu sync.Mutex
	var streams [2]bytes.Buffer
	observe := func(i int) func([]byte) {
		return func(chunk []byte) {
			if !mu.TryLock() {
				f.Error("two observers at a time")
				return
			}
			defer mu.Unlock()
			streams[i].Write(chunk)
			time.Sleep(50 * time.Microsecond)
		}
	}
	spec := shell(`i=0; while [ $i -lt 500 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done`)
	spec.Stdout = subprocess.Output{Observe: observe(0)}
	spec.Stderr = subprocess.Output{Observe: observe(1)}
	f.finish(f.start(spec))
	for i, letter := range []string{"o", "e"} {
		var want strings.Builder
		for line := range 500 {
			want.WriteString(letter + decimal(line) + "\n")
		}
		if streams[i].String() != want.String() {
			f.Errorf("observer %d saw %d bytes, want %d", i, streams[i].Len(), want.Len())
		}
	}
}

func callerPipes(f *fixture) {
	spec := shell(`cat; echo e >&2`)
	spec.StdinPipe = true
	spec.Stdout.Mode, spec.Stderr.Mode = subprocess.Pipe, subprocess.Pipe
	handle := f.start(spec)
	pipes := handle.Pipes()
	if handle.Stdout() != nil || handle.Stderr() != nil {
		f.Error("streams that go to the caller have readers")
	}
	io.WriteString(pipes.Stdin, "through\n")
	pipes.Stdin.Close()
	stdout, err := io.ReadAll(pipes.Stdout)
	if string(stdout) != "through\n" || err != nil {
		f.Errorf("stdout %q, %v", stdout, err)
	}
	if stderr, err := io.ReadAll(pipes.Stderr); string(stderr) != "e\n" || err != nil {
		f.Errorf("stderr %q, %v", stderr, err)
	}
	pipes.Stdout.Close()
	pipes.Stderr.Close()
	f.finish(handle)
}

func flood(f *fixture) {
	before := heap()
	handle := f.start(shell(`yes | head -c 200000000`))
	f.finish(handle)
	chunk := handle.Stdout().ReadFrom(0)
	if chunk.Next != 200000000 || !chunk.Lossy || len(chunk.Text) != memory {
		f.Errorf("next %d, lossy %v, %d bytes of text", chunk.Next, chunk.Lossy, len(chunk.Text))
	}
	if grown := heap() - before; grown > 8<<20 {
		f.Errorf("the heap grew by %d bytes", grown)
	}
}
