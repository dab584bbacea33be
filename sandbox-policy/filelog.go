package sandboxpolicy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
)

// FileLog is a log in a file: one event per line, in JSON, only ever appended
// to. One program at a time may append. It is safe for concurrent use.
type FileLog struct {
	mu   sync.Mutex
	file *os.File
	size int64  // how much of the file is whole lines
	torn []byte // what was behind them when it was opened
}

var errNotOneEvent = errors.New("is not one event in JSON")

// OpenFileLog opens the log at path, which is made, readable by its owner
// alone, if it does not exist. The last line may be torn, for a program can
// die while it appends: such a line is no event, [FileLog.Torn] reports it,
// and the next append replaces it. Any other line that is not an event is an
// error of Events.
func OpenFileLog(path string) (*FileLog, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &FileLog{file: file}
	text, err := l.read()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	l.size, l.torn = int64(whole), text[whole:]
	return l, nil
}

// Torn returns the last line as it was found when it was torn, or an empty
// string.
func (l *FileLog) Torn() string { return string(l.torn) }

// Events implements [Log]. A line that is not an event is an [*EventError].
func (l *FileLog) Events(context.Context) ([]Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text, err := l.read()
	if err != nil {
		return nil, err
	}
	var events []Event
	for line := range bytes.Lines(text[:min(l.size, int64(len(text)))]) {
		event, err := parseEvent(line)
		if err != nil {
			return nil, &EventError{Path: l.file.Name(), Number: len(events) + 1, Err: err}
		}
		events = append(events, event)
	}
	return events, nil
}

func (l *FileLog) read() ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(l.file, 0, 1<<62))
}

func parseEvent(line []byte) (Event, error) {
	var event Event
	if err := json.Unmarshal(line, &event); err != nil {
		return Event{}, errors.Join(errNotOneEvent, err)
	}
	if event.Type == "" {
		return Event{}, errNotOneEvent
	}
	return event, nil
}

// Append implements [Log]. The event is on the disk when it returns nil; when
// it fails, the log is as it was.
func (l *FileLog) Append(_ context.Context, event Event) error {
	line, err := json.Marshal(event)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.write(line); err != nil {
		return errors.Join(err, l.file.Truncate(l.size))
	}
	l.size += int64(len(line))
	return nil
}

// write puts a line behind the whole ones, over one that is torn.
func (l *FileLog) write(line []byte) error {
	if err := l.file.Truncate(l.size); err != nil {
		return err
	}
	if _, err := l.file.WriteAt(line, l.size); err != nil {
		return err
	}
	return l.file.Sync()
}

// Close closes the file.
func (l *FileLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}
