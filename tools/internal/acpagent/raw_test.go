package acpagent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
)

// raw is a client that writes its lines itself.
type raw struct {
	*testing.T
	in      *io.PipeWriter
	answers chan answered
	ended   chan error // Run's
}

// answered is what an agent says of a request.
type answered struct {
	ID     any    `json:"id"`
	Method string `json:"method"`
	Result struct {
		SessionID  string         `json:"sessionId"`
		StopReason acp.StopReason `json:"stopReason"`
	} `json:"result"`
	Error *acp.RequestError `json:"error"`
}

// end is why an answer ended: the stop reason, or "error".
func (a answered) end() string {
	if a.Error != nil {
		return "error"
	}
	return string(a.Result.StopReason)
}

// scripted is an executor whose commands are "wait", until they are cancelled,
// "linger", for a moment, and those that end at once.
type scripted struct{}

func (scripted) Resolve(req bash.Request) (bash.Spec, error) {
	return bash.Spec{Command: req.Command, Policy: *req.Policy}, nil
}

func (scripted) Run(ctx context.Context, spec bash.Spec) (bash.Result, error) {
	lasts := map[string]time.Duration{"wait": 10 * time.Second, "linger": 30 * time.Millisecond}[spec.Command]
	select {
	case <-ctx.Done():
		return bash.Result{Aborted: true}, nil
	case <-time.After(lasts):
		return bash.Result{}, nil
	}
}

func (scripted) Start(context.Context, bash.Spec) (bash.Process, error) {
	return nil, errors.ErrUnsupported
}

// connectRaw has an agent over a scripted executor serve a client.
func connectRaw(t *testing.T, logger *slog.Logger) *raw {
	t.Helper()
	policies, err := sandboxpolicy.New(sandboxpolicy.Config{Mode: sandbox.DangerFullAccess, WorkspaceRoot: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	agent, err := New(Config{Executor: scripted{}, Policies: policies, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	agentIn, in := io.Pipe()
	out, agentOut := io.Pipe()
	r := &raw{T: t, in: in, answers: make(chan answered, 1000), ended: make(chan error, 1)}
	go func() {
		err := agent.Run(t.Context(), agentIn, agentOut)
		_ = agentIn.Close() // or the client would wait to be read
		r.ended <- err
	}()
	go r.listen(out)
	t.Cleanup(func() {
		_ = in.Close()
		_ = out.Close()
	})
	return r
}

func (r *raw) listen(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var said answered
		if err := json.Unmarshal(lines.Bytes(), &said); err == nil && said.Method == "" {
			r.answers <- said
		}
	}
}

// write writes everything at once.
func (r *raw) write(text string) {
	r.Helper()
	if _, err := io.WriteString(r.in, text); err != nil {
		r.Fatal(err)
	}
}

// answer is the next answer.
func (r *raw) answer() answered {
	r.Helper()
	select {
	case said := <-r.answers:
		return said
	case <-time.After(20 * time.Second):
		r.Fatal("no answer within time")
	}
	return answered{}
}

// begin begins a session.
func (r *raw) begin() (session string) {
	r.Helper()
	r.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", r.TempDir()))
	said := r.answer()
	if said.Error != nil {
		r.Fatal(said.Error)
	}
	return said.Result.SessionID
}

func prompt(id, session, command string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`+"\n", id, session, command)
}

func cancel(session string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`+"\n", session)
}
