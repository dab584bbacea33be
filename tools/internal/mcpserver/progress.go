package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/tools/internal/approval"
)

const (
	// progressInterval is how often a client hears of a command that runs.
	progressInterval = time.Second
	// maxTail bounds, in bytes, what is kept of the output for that, and
	// maxLine, in runes, the line that is shown.
	maxTail = 1024
	maxLine = 120
)

// progress tells a client that its call is still running: for how long, and
// what the command printed last. A nil one, that of a client that did not ask,
// does nothing.
type progress struct {
	cancel context.CancelFunc
	done   chan struct{}
	begun  time.Time

	mu      sync.Mutex
	since   time.Time // when the command began, as far as is known
	waiting bool      // for the user
	stream  bash.Stream
	tail    []byte // the last output
}

// watch begins to tell about a call, until it is stopped or ctx ends.
func watch(ctx context.Context, req *mcp.CallToolRequest) *progress {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	now := time.Now()
	p := &progress{cancel: cancel, done: make(chan struct{}), begun: now, since: now}
	go p.tell(ctx, req.Session, token)
	return p
}

func (p *progress) tell(ctx context.Context, to *mcp.ServerSession, token any) {
	defer close(p.done)
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			// A client that is gone has no use for it.
			_ = to.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token,
				Progress:      now.Sub(p.begun).Seconds(),
				Message:       p.message(now),
			})
		}
	}
}

// stop ends the telling. Nothing is told after it returns.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.cancel()
	<-p.done
}

func (p *progress) message(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting {
		return "waiting for the user's decision"
	}
	elapsed := now.Sub(p.since).Round(time.Second)
	if line := lastLine(p.tail); line != "" {
		return fmt.Sprintf("%v: %s", elapsed, line)
	}
	return elapsed.String()
}

// lastLine returns the last line of a text that is not blank, fit to be shown.
func lastLine(text []byte) string {
	lines := strings.FieldsFunc(strings.ToValidUTF8(string(text), "\uFFFD"), func(r rune) bool { return r == '\n' || r == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" {
			return approval.Visible(approval.Shorten(line, maxLine))
		}
	}
	return ""
}

// observer returns what is to see the command's output, or nil.
func (p *progress) observer() func(bash.Stream, []byte) {
	if p == nil {
		return nil
	}
	return p.observe
}

func (p *progress) observe(stream bash.Stream, chunk []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stream != p.stream { // the streams do not share a line
		p.stream, p.tail = stream, nil
	}
	p.tail = append(p.tail, chunk[max(0, len(chunk)-maxTail):]...)
	if excess := len(p.tail) - maxTail; excess > 0 {
		p.tail = append(p.tail[:0], p.tail[excess:]...)
	}
}

// asking says that the user is being asked, until the function that it returns
// is called. The command begins only then.
func (p *progress) asking() (asked func()) {
	if p == nil {
		return func() {}
	}
	p.wait(true)
	return func() { p.wait(false) }
}

func (p *progress) wait(waiting bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting, p.since = waiting, time.Now()
}
