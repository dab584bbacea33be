package acpagent

import (
	"strings"
	"sync"
)

// talk is a conversation with a model. A nil one is that of no model.
type talk struct {
	mu    sync.Mutex
	notes []string
}

// note has the model hear something that nobody said to it: with the next prompt
// or the next result of a tool, whichever comes first. What it has read already
// stays as it was.
func (t *talk) note(text string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, text)
}

// noted returns the notes that the model has not heard, each on lines of its own.
func (t *talk) noted() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, note := range t.notes {
		b.WriteString(strings.TrimSuffix(note, "\n") + "\n")
	}
	t.notes = nil
	return b.String()
}
