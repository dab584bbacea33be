package acpagent

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
	"github.com/dsh-go/dsh/tools/internal/acpagent/acptest"
	"github.com/dsh-go/dsh/tools/internal/treetest"
)

const key = "sk-secret-0123456789"

// reply answers one request of an endpoint.
type reply func(w http.ResponseWriter, req *http.Request)

// endpoint is a model whose answers are written down.
type endpoint struct {
	*httptest.Server
	mu       sync.Mutex
	replies  []reply
	requests []openai.ChatCompletionRequest
	wrong    []string // in a request
}

// serve returns an endpoint that gives one reply per request, and the last one
// again and again.
func serve(t *testing.T, replies ...reply) *endpoint {
	t.Helper()
	e := &endpoint{replies: replies}
	e.Server = httptest.NewServer(http.HandlerFunc(e.answer))
	t.Cleanup(func() {
		e.CloseClientConnections()
		e.Close()
		if len(e.wrong) > 0 {
			t.Errorf("requests: %q", e.wrong)
		}
	})
	return e
}

func (e *endpoint) answer(w http.ResponseWriter, req *http.Request) {
	var asked openai.ChatCompletionRequest
	err := json.NewDecoder(req.Body).Decode(&asked)
	e.mu.Lock()
	if err != nil || req.URL.Path != "/v1/chat/completions" || req.Header.Get("Authorization") != "Bearer "+key ||
		!asked.Stream || asked.Model != "tester" || len(asked.Tools) != 4 {
		e.wrong = append(e.wrong, fmt.Sprint(err, req.URL, req.Header, asked))
	}
	e.requests = append(e.requests, asked)
	next := e.replies[0]
	if len(e.replies) > 1 {
		e.replies = e.replies[1:]
	}
	e.mu.Unlock()
	next(w, req)
}

// asked are the requests so far.
func (e *endpoint) asked() []openai.ChatCompletionRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]openai.ChatCompletionRequest(nil), e.requests...)
}

// last are the messages of the last request.
func (e *endpoint) last() []openai.ChatCompletionMessage {
	asked := e.asked()
	return asked[len(asked)-1].Messages
}

// stream sends events one by one.
func stream(events ...string) reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range events {
			_, _ = io.WriteString(w, event+"\n\n")
			_ = http.NewResponseController(w).Flush()
		}
	}
}

const done = "data: [DONE]"

// delta is an event with a piece of an answer.
func delta(piece string) string { return `data: {"choices":[{"index":0,"delta":` + piece + `}]}` }

func finish(reason string) string {
	return `data: {"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

func quote(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// says is an answer in words, in two pieces.
func says(text string) reply {
	half := len(text) / 2
	return stream(": wait", delta(`{"role":"assistant","content":`+quote(text[:half])+`}`),
		delta(`{"content":`+quote(text[half:])+`}`), finish("stop"), `data: {"choices":[],"usage":{}}`, done)
}

// made is a call that a model makes.
type made struct{ id, name, arguments string }

func runs(id, command string, more ...string) made {
	return made{id, "bash", `{"command":` + quote(command) + `,"description":"A test"` + strings.Join(append([]string{""}, more...), ",") + `}`}
}

// does is an answer that makes calls, each in pieces.
func does(calls ...made) reply {
	var events []string
	for i, call := range calls {
		events = append(events, delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]}`, i, call.id, call.name)))
		for _, piece := range []string{call.arguments[:len(call.arguments)/2], call.arguments[len(call.arguments)/2:]} {
			events = append(events, delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quote(piece))))
		}
	}
	return stream(append(events, finish("tool_calls"), done)...)
}

// status is an answer that refuses.
func status(code int, body string) reply {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, body, code) }
}

// reason answers with a status line of its own words, which net/http does not.
func reason(w http.ResponseWriter, line string) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(connection, "HTTP/1.1 "+line+"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	_ = connection.Close()
}

// connect puts an agent together over a model at e, and connects to it.
func connect(t *testing.T, e *endpoint, mode sandbox.Mode, answer acptest.Answer) *acptest.Client {
	t.Helper()
	dir := treetest.OutsideTemp(t)
	policies, err := sandboxpolicy.New(sandboxpolicy.Config{Mode: mode, WorkspaceRoot: dir})
	if err != nil {
		t.Fatal(err)
	}
	procs, err := subprocesslocal.New(subprocesslocal.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = procs.Close(t.Context()) })
	executor, err := bashsandbox.New(bashsandbox.Config{}, procs, &sandboxlocal.Provider{}, policies)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := New(Config{
		Executor: executor, Policies: policies, Logger: slog.New(slog.DiscardHandler),
		Model: &Model{Endpoint: e.URL + "/v1/", Name: "tester", Key: key},
	})
	if err != nil {
		t.Fatal(err)
	}
	agentIn, in := io.Pipe()
	out, agentOut := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- agent.Run(t.Context(), agentIn, agentOut) }()
	c := acptest.Connect(t, in, out, dir, answer)
	t.Cleanup(func() {
		_ = in.Close()
		if err := <-ended; err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
		_ = agentOut.Close()
	})
	return c
}
