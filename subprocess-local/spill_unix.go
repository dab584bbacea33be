//go:build linux || darwin

package subprocesslocal

import (
	"log/slog"
	"os"
	"sync/atomic"
)

// spill has a whole stream written to a file from its first overflow on. It is
// used by the stream's collector alone.
type spill struct {
	maxBytes int64
	create   func() (*spillFile, error)
	log      *slog.Logger
	file     *spillFile
	lost     bool // there is no complete file any more, or never was
}

// spillFile is a file that holds a whole stream so far.
type spillFile struct {
	*os.File
	// removed is set when Close of the service takes the file away.
	removed atomic.Bool
}

// name is the path to offer, or empty. A nil file has none.
func (f *spillFile) name() string {
	if f == nil || f.removed.Load() {
		return ""
	}
	return f.Name()
}

// take writes chunk, which is about to be added to w, if w then no longer
// holds the whole stream. It returns the file that holds the stream, or nil.
func (s *spill) take(w *window, chunk []byte) *spillFile {
	total := w.total + int64(len(chunk))
	switch {
	case s.lost || total <= int64(w.max):
		return nil
	case total > s.maxBytes:
		s.lose("the stream is longer than is to be kept", nil)
		return nil
	}
	if err := s.write(w, chunk); err != nil {
		s.lose("the stream cannot be written", err)
		return nil
	}
	return s.file
}

func (s *spill) write(w *window, chunk []byte) error {
	if s.file == nil {
		file, err := s.create()
		if err != nil {
			return err
		}
		s.file = file
		s.log.Debug("spilling", "path", file.Name())
		head, tail := w.parts(0, w.held) // all of the stream until now
		if _, err := file.Write(head); err != nil {
			return err
		}
		if _, err := file.Write(tail); err != nil {
			return err
		}
	}
	_, err := s.file.Write(chunk)
	return err
}

// lose gives up the file, for an incomplete one is never offered.
func (s *spill) lose(why string, err error) {
	s.lost = true
	s.log.Debug("no spill file: "+why, "error", err)
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
		s.file.removed.Store(true)
		s.file = nil
	}
}

// finish returns the complete file, or nil. Some file systems report only now
// that they could not write.
func (s *spill) finish() *spillFile {
	if s.file == nil {
		return nil
	}
	if err := s.file.Close(); err != nil {
		s.lose("the stream could not be written", err)
	}
	return s.file
}
