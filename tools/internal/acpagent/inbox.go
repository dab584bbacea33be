package acpagent

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"syscall"

	acp "github.com/coder/acp-go-sdk"
)

// maxMessage bounds, in bytes, a client's message. It is the SDK's own limit
// (its Connection.receive); of a longer one the SDK would end the connection
// as if the client had.
const maxMessage = 10 << 20

// The reasons why a client is served no longer.
var (
	errTooLong = fmt.Errorf("the client sent a message of %d MiB or more, which is longer than any that is read", maxMessage>>20)
	errGaveUp  = errors.New("the client sent notifications faster than they were taken")
)

// inbox is what a client says. It gives the SDK one line at a time, and none
// before the prompt or the cancel in the line before has been taken up: the SDK
// handles each request in a goroutine of its own and notifications in another
// one, so that a cancel could otherwise overtake the prompt that it is for, or
// be overtaken by the next one.
//
// All depends on telling which lines the SDK hands on to [protocol.Prompt] and
// [protocol.Cancel], so lines are read here as the SDK reads them.
type inbox struct {
	in     *bufio.Reader
	logger *slog.Logger
	taken  chan struct{} // one for each prompt and each cancel

	line   []byte
	rest   []byte // of the line, not read yet
	awaits bool   // the line has to be taken up
	end    error  // why there is no more, or nil
}

func newInbox(in io.Reader, logger *slog.Logger) *inbox {
	return &inbox{in: bufio.NewReader(in), logger: logger, taken: make(chan struct{})}
}

// take says that a prompt or a cancel has been taken up. The reader waits for it
// or soon will.
func (b *inbox) take() { b.taken <- struct{}{} }

// Read reads from one line.
func (b *inbox) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		if err := b.next(); err != nil {
			b.end = err
			return 0, err
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// next goes on to the next line, when this one has been taken up.
func (b *inbox) next() error {
	if b.awaits {
		<-b.taken
	}
	b.awaits = false
	if err := b.readLine(); err != nil {
		return err
	}
	b.rest = b.line
	var m message
	if json.Unmarshal(b.line, &m) != nil {
		return nil // the SDK says so
	}
	if m.Method == acp.AgentMethodSessionPrompt && m.ID == nil {
		// Nothing could be answered, and the SDK would let no cancel pass it.
		b.logger.Error("a prompt without an id is ignored")
		b.rest = blank
		return nil
	}
	b.awaits = m.valid()
	return nil
}

// blank is a line that the SDK passes over.
var blank = []byte("\n")

// readLine reads a line, and gives the last one an end if it has none.
func (b *inbox) readLine() error {
	b.line = b.line[:0]
	for {
		piece, err := b.in.ReadSlice('\n')
		b.line = append(b.line, piece...)
		switch {
		case len(b.line) >= maxMessage:
			return errTooLong
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(b.line) > 0:
			b.line = append(b.line, '\n')
			return nil
		default:
			return err
		}
	}
}

// failure returns why the connection has ended, or nil if the client wanted
// that. Without an end of what is read it is the SDK that gave up; it says why
// to the logger alone.
func (b *inbox) failure() error {
	switch {
	case b.end == nil:
		return errGaveUp
	case errors.Is(b.end, io.EOF), errors.Is(b.end, syscall.ECONNRESET): // the latter of a socket whose peer died
		return nil
	default:
		return b.end
	}
}

// message has the fields of a message and their types as the SDK has them
// (its anyMessage). One that does not fit the SDK passes over.
type message struct {
	JSONRPC string            `json:"jsonrpc"`
	ID      *json.RawMessage  `json:"id"`
	Method  string            `json:"method"`
	Params  json.RawMessage   `json:"params"`
	Result  json.RawMessage   `json:"result"`
	Error   *acp.RequestError `json:"error"`
}

// valid reports whether the message is a prompt or a cancel whose parameters the
// SDK accepts. Of others the agent does not hear.
func (m *message) valid() bool {
	var params interface{ Validate() error }
	switch m.Method {
	case acp.AgentMethodSessionPrompt:
		params = &acp.PromptRequest{}
	case acp.AgentMethodSessionCancel:
		params = &acp.CancelNotification{}
	default:
		return false
	}
	return json.Unmarshal(m.Params, params) == nil && params.Validate() == nil
}
