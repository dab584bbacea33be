package sandboxpolicy

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// ModeEvent is the type of the event that sets a session's mode. Events of
// other types are kept and mean nothing here.
const ModeEvent = "sandbox/mode"

// Event is one entry of a [Log]. Its JSON form is one line of a log file.
type Event struct {
	// Type is [ModeEvent] or something that means nothing here.
	Type string `json:"type"`
	// SessionID is the session that the event is about.
	SessionID string `json:"sessionId"`
	// Mode is the session's mode from here on.
	Mode sandbox.Mode `json:"mode,omitempty"`
	// Time is when it was appended, for a person who reads the log: the order
	// of the events counts, not their times.
	Time time.Time `json:"time"`
}

func newModeEvent(sessionID string, mode sandbox.Mode) Event {
	return Event{Type: ModeEvent, SessionID: sessionID, Mode: mode, Time: time.Now().UTC()}
}

// validate reports what is wrong with an event that sets a mode.
func (e Event) validate() error {
	if e.SessionID == "" {
		return ErrNoSession
	}
	_, err := sandbox.ParseMode(string(e.Mode))
	return err
}

// EventError is an event of a log that cannot be what was appended. Nothing is
// guessed about what it was meant to say.
type EventError struct {
	// Path is the log's file, or empty.
	Path string
	// Number is the event's place in the log; the first one is 1.
	Number int
	// Err is the reason, never nil.
	Err error
}

// Error names the event and the reason.
func (e *EventError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("sandboxpolicy: event %d of the log: %v", e.Number, e.Err)
	}
	return fmt.Sprintf("sandboxpolicy: event %d of the log %q: %v", e.Number, e.Path, e.Err)
}

// Unwrap returns the reason.
func (e *EventError) Unwrap() error { return e.Err }

// memoryLog is a log that ends with the program.
type memoryLog struct {
	mu     sync.Mutex
	events []Event
}

func (l *memoryLog) Events(context.Context) ([]Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events), nil
}

func (l *memoryLog) Append(_ context.Context, event Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, event)
	return nil
}
