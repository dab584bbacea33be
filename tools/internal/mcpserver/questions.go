package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dsh-go/dsh/sandbox"
)

// Since version 2026-07-28 of the protocol a server cannot send the client a
// request while it serves one. It ends the call with the question instead, and
// the client makes the call again, with the answer and with the state that the
// question came with. That second call is under nobody's control but the
// client's, so the question is kept here, and an answer is accepted once, and
// for the very call that was asked about.

// maxOpen is how many questions may be open. Clients abandon questions without
// a word, so the oldest one gives way.
const maxOpen = 16

// approvalKey names the one request that a question makes of the client.
const approvalKey = "approval"

// The reasons why an answer is refused. Nothing was run then.
var (
	errNoQuestion = errors.New("the answer belongs to no question that is open; nothing was run")
	errOtherCall  = errors.New("the answer belongs to another call than was asked about; nothing was run")
	errNoAnswer   = errors.New("the answer is not one to the question; nothing was run")
)

// question is an escalation about which the user is to be asked. As an error
// it ends the call that asks.
type question struct {
	request sandbox.EscalationRequest
	call    string // the call's fingerprint
	state   string // unguessable
}

func (*question) Error() string { return "the client has to ask its user" }

// result is that of a call that ends with the question.
func (q *question) result() *mcp.CallToolResult {
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{approvalKey: elicitation(q.request)},
		RequestState:  q.state,
	}
}

// questions are those that are open, the oldest first.
type questions struct {
	mu   sync.Mutex
	open []*question
}

func (q *questions) ask(request sandbox.EscalationRequest, call string) *question {
	asked := &question{request: request, call: call, state: rand.Text()}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open = append(q.open, asked)
	if len(q.open) > maxOpen {
		q.open = slices.Delete(q.open, 0, 1)
	}
	return asked
}

// take closes a question, whatever becomes of the answer.
func (q *questions) take(state string) *question {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.open, func(open *question) bool { return open.state == state })
	if i < 0 {
		return nil
	}
	taken := q.open[i]
	q.open = slices.Delete(q.open, i, i+1)
	return taken
}

// answered returns the answered question that a call comes with, or nil if it
// comes with none.
func (q *questions) answered(params *mcp.CallToolParamsRaw) (*answered, error) {
	if params.RequestState == "" && len(params.InputResponses) == 0 {
		return nil, nil
	}
	taken := q.take(params.RequestState)
	switch {
	case taken == nil:
		return nil, errNoQuestion
	case taken.call != fingerprint(params):
		return nil, errOtherCall
	}
	answer, ok := params.InputResponses[approvalKey].(*mcp.ElicitResult)
	if !ok || len(params.InputResponses) != 1 {
		return nil, errNoAnswer
	}
	return &answered{taken.request, answer}, nil
}

// fingerprint tells calls apart by their tool and arguments, however the
// client writes the JSON.
func fingerprint(params *mcp.CallToolParamsRaw) string {
	decoder := json.NewDecoder(bytes.NewReader(params.Arguments))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return params.Name + " " + string(params.Arguments)
	}
	canonical, err := json.Marshal(decoded)
	if err != nil {
		return params.Name + " " + string(params.Arguments)
	}
	return params.Name + " " + string(canonical)
}

// answered is a question with the user's answer. It approves nothing else.
type answered struct {
	request sandbox.EscalationRequest
	answer  *mcp.ElicitResult
}

func (a *answered) Decide(_ context.Context, req sandbox.EscalationRequest) (sandbox.Decision, error) {
	if req != a.request {
		return sandbox.DecisionUnavailable, errOtherCall
	}
	return decision(a.answer)
}
