package acpagent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/sandbox"
)

var discard = slog.New(slog.DiscardHandler)

func TestACancelDirectlyBehindItsPromptEndsIt(t *testing.T) {
	r := connectRaw(t, discard)
	session := r.begin()
	for i := range 200 {
		r.write(prompt("p", session, "wait") + cancel(session))
		if got := r.answer().end(); got != "cancelled" {
			t.Fatalf("time %d ended with %s", i, got)
		}
	}
}

// TestWhatIsWrittenAtOnceIsTakenInItsOrder has A and B for two sessions.
func TestWhatIsWrittenAtOnceIsTakenInItsOrder(t *testing.T) {
	for name, tt := range map[string]struct {
		lines []string
		want  string // how the answers end, by their identifiers
	}{
		"a cancel before the prompt": {
			[]string{cancel("A"), cancel("A"), prompt("1", "A", "linger")}, "1 end_turn",
		},
		"a prompt behind the cancel": {
			[]string{prompt("1", "A", "wait"), cancel("A"), prompt("2", "A", "linger")}, "1 cancelled 2 end_turn",
		},
		"a second prompt": {
			[]string{prompt("1", "A", "wait"), prompt("2", "A", "linger")}, "1 cancelled 2 end_turn",
		},
		"three prompts": {
			[]string{prompt("1", "A", "wait"), prompt("2", "A", "wait"), prompt("3", "A", "linger")}, "1 cancelled 2 cancelled 3 end_turn",
		},
		"two prompts and a cancel": {
			[]string{prompt("1", "A", "wait"), prompt("2", "A", "wait"), cancel("A")}, "1 cancelled 2 cancelled",
		},
		"the cancel of another session": {
			[]string{prompt("1", "A", "linger"), prompt("2", "B", "wait"), cancel("B")}, "1 end_turn 2 cancelled",
		},
		"the cancel of no session": {
			[]string{prompt("1", "A", "linger"), cancel("C"), prompt("2", "C", "wait"), cancel("C")}, "1 end_turn 2 error",
		},
		"a prompt that is empty": {
			[]string{prompt("1", "A", " "), cancel("A"), prompt("2", "A", "linger")}, "1 error 2 end_turn",
		},
		"prompts that are none": {
			[]string{
				`{"id":"1","method":"session/prompt"}`, `{"id":"2","method":"session/prompt","params":{"sessionId":"A"}}`,
				`{"id":"3","method":"session/prompt","params":{"sessionId":7,"prompt":[]}}`,
				`{"id":"4","method":"session/prompt","params":[]}`, cancel("A"), prompt("5", "A", "linger"),
			}, "1 error 2 error 3 error 4 error 5 end_turn",
		},
		"cancels that are none": {
			[]string{
				prompt("1", "A", "linger"), `{"method":"session/cancel"}`, `{"method":"session/cancel","params":{"sessionId":7}}`,
				`{"method":"session/cancel","params":{}}`, `{"method":"Session/cancel","params":{"sessionId":"A"}}`,
			}, "1 end_turn",
		},
		"a cancel that wants an answer": {
			[]string{prompt("1", "A", "wait"), `{"id":"2","method":"session/cancel","params":{"sessionId":"A"}}`}, "1 cancelled 2 ",
		},
		"a prompt that wants no answer": {
			[]string{
				`{"method":"session/prompt","params":{"sessionId":"A","prompt":[{"type":"text","text":"wait"}]}}`,
				`{"id":null,"method":"session/prompt","params":{"sessionId":"A","prompt":[{"type":"text","text":"wait"}]}}`,
				prompt("1", "A", "wait"), cancel("A"),
			}, "1 cancelled",
		},
		"in another order, with other letters": {
			[]string{
				` { "params" : { "prompt" : [ {"text":"wait","type":"text"} ] , "sessionId":"A" } , "m\u0065thod" : "session\/prompt" , "id":"1" } ` + "\r\n",
				"\t" + `{"PARAMS":{"sessionId":"A"},"method":"nothing","method":"\u0073ession/cancel"}`,
			}, "1 cancelled",
		},
		"batches": {
			[]string{
				"[" + strings.TrimSpace(prompt("1", "A", "wait")) + "," + strings.TrimSpace(cancel("A")) + "]",
				prompt("2", "A", "linger"), "[" + strings.TrimSpace(cancel("A")) + "]",
			}, "2 end_turn",
		},
		"what is no message": {
			[]string{
				prompt("1", "A", "wait"), "", "\r", `{"id":"2","method":"session/prompt"`, "null", "42", "{}", "\x00\xff",
				`{"jsonrpc":2,"id":"3","method":"session/prompt","params":{"sessionId":"A","prompt":[]}}`,
				`{"id":"4","result":{}}`, `{"id":"5","error":"oh"}`, cancel("A"),
			}, "1 cancelled",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := connectRaw(t, discard)
			names := strings.NewReplacer(`"A"`, fmt.Sprintf("%q", r.begin()), `"B"`, fmt.Sprintf("%q", r.begin()))
			for range 10 {
				r.write(names.Replace(strings.Join(tt.lines, "\n")) + "\n")
				if got := r.ends(len(strings.Split(tt.want, " ")) / 2); got != tt.want {
					t.Fatalf("%s, want %s", got, tt.want)
				}
			}
		})
	}
}

// ends is how as many answers end, in the order of their identifiers.
func (r *raw) ends(count int) string {
	r.Helper()
	var all []string
	for range count {
		said := r.answer()
		all = append(all, fmt.Sprintf("%v %s", said.ID, said.end()))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestNoLineHoldsUpTheNext has lines that the agent and the SDK could understand
// differently: one would then wait for the other.
func TestNoLineHoldsUpTheNext(t *testing.T) {
	r := connectRaw(t, discard)
	session := r.begin()
	for _, line := range []string{
		`{"id":{},"method":"session/prompt","params":{"sessionId":"","prompt":[]}}`,
		`{"id":"","method":"session/prompt","params":{"sessionId":"C","prompt":null}}`,
		`{"id":1e99999,"method":"session/prompt","params":{"sessionId":"C","prompt":[]},"result":1}`,
		`{"ID":1,"Method":"session/prompt","Params":{"SessionID":"C","Prompt":[{"type":"text"}]}}`,
		`{"id":1,"id":null,"method":"session/prompt","params":{"sessionId":"C","prompt":[]}}`,
		`{"id":1,"method":"session/prompt","params":{"prompt":[{"type":"none"}]}}`,
		`{"id":1,"method":"session/prompt","params":{"prompt":[]},"error":{"code":"x"}}`,
		`{"id":1,"method":"session/prompt","params":null}`,
		`{"method":"session/cancel","params":null}`,
		`{"method":"session/cancel","params":{"sessionId":"C"},"params":[]}`,
		`{"method":"_session/cancel","params":{"sessionId":"C"}}`,
		`{"method":"$/cancel_request","params":{"requestId":1}}`,
	} {
		r.write(line + "\n" + prompt("last", session, "wait") + cancel(session))
		said := r.answer()
		for said.ID != "last" {
			said = r.answer()
		}
		if said.end() != "cancelled" {
			t.Errorf("behind %s: %s", line, said.end())
		}
	}
}

func TestAPromptThatWasCancelledRunsNothing(t *testing.T) {
	s := newSession(&Agent{}, "s", t.TempDir(), sandbox.Policy{})
	for range 100 { // a turn that is free and an end that has come are alike to a select
		ctx, end := s.begin(context.Background())
		s.cancel()
		if got := s.prompt(ctx, "wait"); got != "cancelled" {
			t.Fatalf("ended with %s", got)
		}
		end()
	}
}

// TestTheNextIsReadWhenAllIsDone has a session that is busy: as long as it is,
// nothing more may be read.
func TestTheNextIsReadWhenAllIsDone(t *testing.T) {
	a := &Agent{sessions: make(map[acp.SessionId]*session), inbox: newInbox(nil, discard)}
	s := newSession(a, "s", t.TempDir(), sandbox.Policy{})
	s.close() // no prompt is answered
	a.add(s)
	for name, call := range map[string]func(){
		"a prompt": func() {
			_, _ = protocol{a}.Prompt(t.Context(), acp.PromptRequest{SessionId: "s", Prompt: []acp.ContentBlock{acp.TextBlock("wait")}})
		},
		"a cancel": func() { _ = protocol{a}.Cancel(t.Context(), acp.CancelNotification{SessionId: "s"}) },
	} {
		s.mu.Lock()
		go call()
		select {
		case <-a.inbox.taken:
			t.Fatalf("%s has been taken up", name)
		case <-time.After(50 * time.Millisecond):
		}
		s.mu.Unlock()
		<-a.inbox.taken
	}
}

// TestTheLastLineNeedsNoEnd has a prompt be the last that a client says.
func TestTheLastLineNeedsNoEnd(t *testing.T) {
	r := connectRaw(t, discard)
	r.write(strings.TrimSpace(prompt("1", r.begin(), "wait")))
	_ = r.in.Close()
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
}

func TestAMessageIsOfLimitedLength(t *testing.T) {
	of := func(length int) string {
		return `{"id":1,"method":"nothing","params":"` + strings.Repeat("x", length) + `"}` + "\n"
	}
	room := maxMessage - 1 - len(of(0))
	for name, tt := range map[string]struct {
		said string
		want error
	}{
		"the longest":             {of(room), nil},
		"the longest without end": {strings.TrimSpace(of(room + 1)), nil},
		"several":                 {strings.Repeat(of(room/2), 3), nil},
		"one byte longer":         {of(room + 1), errTooLong},
		"one that does not end":   {strings.Repeat("x", maxMessage), errTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			r := connectRaw(t, discard)
			_, _ = io.WriteString(r.in, tt.said) // fails where the agent has ended
			for range strings.Count(tt.said, "\n") {
				if tt.want == nil {
					r.answer()
				}
			}
			_ = r.in.Close()
			if err := <-r.ended; !errors.Is(err, tt.want) {
				t.Error(err)
			}
		})
	}
}

// TestNotificationsThatAreNotKeptAreAnError has a logger that takes its time:
// until it has said of the first one that nobody knows it, the others wait.
func TestNotificationsThatAreNotKeptAreAnError(t *testing.T) {
	held := make(chan struct{})
	r := connectRaw(t, slog.New(slow{slog.DiscardHandler, held}))
	_, _ = io.WriteString(r.in, strings.Repeat(`{"method":"nothing"}`+"\n", 2000)) // fails when the agent has ended
	if err := <-r.ended; !errors.Is(err, errGaveUp) {
		t.Error(err)
	}
	close(held)
}

// slow says nothing of a notification until it may.
type slow struct {
	slog.Handler
	held <-chan struct{}
}

func (slow) Enabled(context.Context, slog.Level) bool { return true }

func (s slow) Handle(_ context.Context, said slog.Record) error {
	if said.Message == "failed to handle notification" {
		<-s.held
	}
	return nil
}

// TestOnlyADisconnectedClientIsNoFailure has reading end in several ways.
func TestOnlyADisconnectedClientIsNoFailure(t *testing.T) {
	for _, tt := range []struct {
		end, want error
	}{
		{io.EOF, nil},
		{&os.PathError{Op: "read", Path: "|0", Err: syscall.ECONNRESET}, nil},
		{&os.PathError{Op: "read", Path: "|0", Err: syscall.EIO}, syscall.EIO},
	} {
		b := newInbox(iotest.ErrReader(tt.end), discard)
		if _, err := io.ReadAll(b); !errors.Is(err, tt.end) && tt.end != io.EOF {
			t.Errorf("%v: reading ended with %v", tt.end, err)
		}
		if got := b.failure(); !errors.Is(got, tt.want) || (got == nil) != (tt.want == nil) {
			t.Errorf("%v is the failure %v", tt.end, got)
		}
	}
}
