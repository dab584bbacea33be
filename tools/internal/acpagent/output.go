package acpagent

import (
	"strings"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/bash"
)

const (
	// outputInterval is how often a client is shown what a command printed.
	outputInterval = 200 * time.Millisecond
	// maxShown bounds, in bytes, what it is shown while the command runs: each
	// time it gets all of it.
	maxShown = 8 * 1024
)

// output shows the client what a command prints, as it comes. A client that
// reads slowly does not hold up the command.
type output struct {
	call *toolCall
	quit chan struct{}
	done chan struct{}

	mu   sync.Mutex
	tail []byte
	cut  bool // the tail is not all of it
	news bool // since the client was told
}

// watch begins to show the output of a call, until it is stopped.
func (c *toolCall) watch() *output {
	o := &output{call: c, quit: make(chan struct{}), done: make(chan struct{})}
	go o.tell()
	return o
}

func (o *output) tell() {
	defer close(o.done)
	ticker := time.NewTicker(outputInterval)
	defer ticker.Stop()
	for {
		select {
		case <-o.quit:
			return
		case <-ticker.C:
			if text, news := o.take(); news {
				o.call.session.update(acp.UpdateToolCall(o.call.id, acp.WithUpdateContent(content("%s", block(text)))))
			}
		}
	}
}

// stop ends the showing. Nothing is shown after it returns.
func (o *output) stop() {
	close(o.quit)
	<-o.done
}

// observe sees a chunk of either stream.
func (o *output) observe(_ bash.Stream, chunk []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.news = true
	o.tail = append(o.tail, chunk[max(0, len(chunk)-maxShown):]...)
	if excess := len(o.tail) - maxShown; excess > 0 || len(chunk) > maxShown {
		o.tail, o.cut = append(o.tail[:0], o.tail[max(0, excess):]...), true
	}
}

// take returns what is to be shown, and whether it is new.
func (o *output) take() (text string, news bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.news {
		return "", false
	}
	o.news = false
	text = strings.ToValidUTF8(string(o.tail), "\uFFFD")
	if o.cut {
		text = "…" + text
	}
	return text, true
}
