package cpio

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"testing"
)

// entry is what a reader finds.
type entry struct {
	name string
	mode uint64
	data string
}

// parse reads an archive as the kernel does: fields of eight digits, names and
// data aligned to four bytes.
func parse(t *testing.T, archive []byte) []entry {
	t.Helper()
	var entries []entry
	at := 0
	field := func(n int) uint64 {
		text := string(archive[at+6+8*n : at+14+8*n])
		value, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	for {
		if string(archive[at:at+6]) != "070701" {
			t.Fatalf("at %d: %s", at, hex.EncodeToString(archive[at:at+6]))
		}
		mode, size, nameSize := field(1), int(field(6)), int(field(11))
		name := string(archive[at+110 : at+110+nameSize-1])
		at = (at + 110 + nameSize + 3) &^ 3
		data := string(archive[at : at+size])
		at = (at + size + 3) &^ 3
		if name == "TRAILER!!!" {
			if at != len(archive) {
				t.Errorf("%d bytes follow the end", len(archive)-at)
			}
			return entries
		}
		entries = append(entries, entry{name, mode, data})
	}
}

func TestWriter(t *testing.T) {
	var archive bytes.Buffer
	w := NewWriter(&archive)
	want := []entry{
		{"d", 0o040755, ""},
		{"d/tmp", 0o041777, ""},
		{"d/a", 0o100644, "x"},
		{"d/su", 0o104755, "1234"},
		{"d/link", 0o120777, "../d/a"},
		{"d/ümlaut", 0o100600, strings.Repeat("z", 4097)},
	}
	modes := []fs.FileMode{fs.ModeDir | 0o755, fs.ModeDir | fs.ModeSticky | 0o777, 0o644, fs.ModeSetuid | 0o755, fs.ModeSymlink | 0o777, 0o600}
	for i, e := range want {
		if err := w.Write(e.name, modes[i], []byte(e.data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := parse(t, archive.Bytes())
	if len(got) != len(want) {
		t.Fatalf("%d entries", len(got))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}

func TestWriterRefusesDevices(t *testing.T) {
	if err := NewWriter(&bytes.Buffer{}).Write("null", fs.ModeDevice|fs.ModeCharDevice, nil); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriterPassesErrorsOn(t *testing.T) {
	w := NewWriter(full{})
	if err := w.Write("a", 0, nil); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if err := w.Close(); !errors.Is(err, errFull) {
		t.Error(err)
	}
}
