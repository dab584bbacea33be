package subprocesstest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh/bash/subprocess"
)

var spillTests = []test{
	{"the file holds the whole stream, byte for byte", spillIsExact},
	{"a stream that fits has no file", noSpill},
	{"the file is nobody else's to read or to guess", spillIsPrivate},
	{"a stream longer than the limit loses its file", spillLimit},
	{"a file that is still growing may be named while the stream runs", growingSpill},
	{"the file lies outside of the places named", spillOutside},
	{"two streams have two files", twoSpills},
	{"Close removes the files and names them no more", spillRemoved},
}

// overflowing is a spec whose standard output overflows a small window.
func overflowing(script string) subprocess.Spec {
	spec := shell(script)
	spec.Stdout.MaxBytes = 4
	spec.Stdout.Spill = &subprocess.Spill{MaxBytes: 1 << 20}
	return spec
}

// spillPath is the file that a stream names after its end. A service that
// found no place for a file fails the test.
func (f *fixture) spillPath(r subprocess.Reader) string {
	f.Helper()
	path := r.ReadFrom(0).SpillPath
	if path == "" {
		f.Fatal("no spill file")
	}
	if !filepath.IsAbs(path) {
		f.Fatalf("spill file %q is not absolute", path)
	}
	return path
}

func (f *fixture) spilled(handle subprocess.Handle) []byte {
	f.Helper()
	content, err := os.ReadFile(f.spillPath(handle.Stdout()))
	if err != nil {
		f.Fatal(err)
	}
	return content
}

func spillIsExact(f *fixture) {
	handle := f.start(overflowing(`printf 'a\000b\377\376c\n'`))
	f.finish(handle)
	if got, want := f.spilled(handle), []byte("a\x00b\xff\xfec\n"); !bytes.Equal(got, want) {
		f.Errorf("file holds % x, want % x", got, want)
	}
	handle = f.start(overflowing(`i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done`))
	f.finish(handle)
	var want strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	if got := f.spilled(handle); string(got) != want.String() {
		f.Errorf("file holds %d bytes, want %d", len(got), want.Len())
	}
}

func noSpill(f *fixture) {
	handle := f.start(overflowing(`printf 1234`))
	f.finish(handle)
	if chunk := handle.Stdout().ReadFrom(0); chunk.SpillPath != "" || chunk.Lossy {
		f.Errorf("%+v", chunk)
	}
}

func spillIsPrivate(f *fixture) {
	handle, other := f.start(overflowing(`echo enough`)), f.start(overflowing(`echo enough`))
	f.finish(handle)
	f.finish(other)
	path := f.spillPath(handle.Stdout())
	file, err := os.Lstat(path)
	if err != nil {
		f.Fatal(err)
	}
	if file.Mode() != 0o600 {
		f.Errorf("file has mode %v", file.Mode())
	}
	dir, err := os.Lstat(filepath.Dir(path))
	if err != nil {
		f.Fatal(err)
	}
	if dir.Mode() != os.ModeDir|0o700 {
		f.Errorf("directory has mode %v", dir.Mode())
	}
	if path == f.spillPath(other.Stdout()) || len(filepath.Base(path)) < 16 {
		f.Errorf("file name %q can be guessed", path)
	}
}

func spillLimit(f *fixture) {
	spec := overflowing(`printf 1234567890`)
	for limit, kept := range map[int64]bool{9: false, 10: true, 0: false} {
		spec.Stdout.Spill = &subprocess.Spill{MaxBytes: limit}
		handle := f.start(spec)
		f.finish(handle)
		if path := handle.Stdout().ReadFrom(0).SpillPath; (path != "") != kept {
			f.Errorf("with a limit of %d bytes the file is %q", limit, path)
		}
	}
	spec = overflowing(`i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done`)
	spec.Stdout.Spill.MaxBytes = 5000
	kept := overflowing(`echo enough`)
	handle, neighbour := f.start(spec), f.start(kept)
	f.finish(handle)
	f.finish(neighbour)
	entries, err := os.ReadDir(filepath.Dir(f.spillPath(neighbour.Stdout())))
	if err != nil || len(entries) != 2 { // the neighbour's and the ten bytes' file
		f.Errorf("directory holds %v, %v", entries, err)
	}
}

func growingSpill(f *fixture) {
	spec := overflowing(`printf 123456; read go; printf 789; exit 0`)
	spec.StdinPipe = true
	handle := f.start(spec)
	var path string
	f.until("the file", func() bool { path = handle.Stdout().ReadFrom(0).SpillPath; return path != "" })
	if content, err := os.ReadFile(path); err != nil || string(content) != "123456" {
		f.Errorf("while it runs the file holds %q, %v", content, err)
	}
	handle.Pipes().Stdin.Close()
	f.finish(handle)
	if content := f.spilled(handle); string(content) != "123456789" {
		f.Errorf("afterwards the file holds %q", content)
	}
}

func spillOutside(f *fixture) {
	spec := overflowing(`echo enough`)
	handle := f.start(spec)
	f.finish(handle)
	first := filepath.Dir(filepath.Dir(f.spillPath(handle.Stdout())))
	spec.Stdout.Spill.Outside = []string{first}
	handle = f.start(spec)
	f.finish(handle)
	if path := handle.Stdout().ReadFrom(0).SpillPath; strings.HasPrefix(path, first+"/") {
		f.Errorf("file %q lies in %q", path, first)
	}
	spec.Stdout.Spill.Outside = []string{"/"}
	handle = f.start(spec)
	f.finish(handle)
	if chunk := handle.Stdout().ReadFrom(0); chunk.SpillPath != "" || !chunk.Lossy {
		f.Errorf("with no place left: %+v", chunk)
	}
}

func twoSpills(f *fixture) {
	spec := overflowing(`echo output; echo errors >&2`)
	spec.Stderr = spec.Stdout
	handle := f.start(spec)
	f.finish(handle)
	stdout, err := os.ReadFile(f.spillPath(handle.Stdout()))
	if string(stdout) != "output\n" || err != nil {
		f.Errorf("stdout %q, %v", stdout, err)
	}
	stderr, err := os.ReadFile(f.spillPath(handle.Stderr()))
	if string(stderr) != "errors\n" || err != nil {
		f.Errorf("stderr %q, %v", stderr, err)
	}
}

func spillRemoved(f *fixture) {
	handle := f.start(overflowing(`echo enough`))
	f.finish(handle)
	path := f.spillPath(handle.Stdout())
	if err := f.service.Close(context.Background()); err != nil {
		f.Fatal(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		f.Errorf("the file after Close: %v", err)
	}
	if _, err := os.Lstat(filepath.Dir(path)); !os.IsNotExist(err) {
		f.Errorf("its directory after Close: %v", err)
	}
	if chunk := handle.Stdout().ReadFrom(0); chunk.SpillPath != "" || chunk.Text != "ugh\n" {
		f.Errorf("a read after Close: %+v", chunk)
	}
}
