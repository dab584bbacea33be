package acpagent

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	openai "github.com/sashabaranov/go-openai"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/acpagent/acptest"
)

// wants sends a prompt and checks why the answer ended.
func wants(c *acptest.Client, prompt string, want acp.StopReason) {
	c.Helper()
	if got := c.Say(prompt); got != want {
		c.Fatalf("%q ended with %s, want %s; %s", prompt, got, want, c.Message())
	}
}

// results are those that the model was last told, in their order.
func results(e *endpoint) []string {
	var all []string
	for _, message := range e.last() {
		if message.Role == openai.ChatMessageRoleTool {
			all = append(all, message.ToolCallID+": "+message.Content)
		}
	}
	return all
}

func TestTheModelsWordsComeAsTheyAreSaid(t *testing.T) {
	goOn := make(chan struct{})
	e := serve(t, func(w http.ResponseWriter, req *http.Request) {
		stream(delta(`{"reasoning_content":"hm"}`), delta(`{"content":"one "}`))(w, req)
		<-goOn
		stream(delta(`{"content":"two"}`), finish("stop"), done)(w, req)
	}, says("three"))
	c := connect(t, e, sandbox.DangerFullAccess, nil)
	go func() {
		defer close(goOn)
		c.Eventually("the first word is shown", func() bool { return c.Message() == "one " })
	}()
	wants(c, "count", acp.StopReasonEndTurn)
	if c.Message() != "one two" || len(c.Calls()) != 0 {
		t.Errorf("%q, %+v", c.Message(), c.Calls())
	}
	if thought := c.Told()[0].AgentThoughtChunk; thought == nil || thought.Content.Text.Text != "hm" {
		t.Errorf("%+v", c.Told()[0])
	}
	wants(c, "go on", acp.StopReasonEndTurn)
	var said []string
	for _, message := range e.last() {
		said = append(said, message.Role+" "+message.Content)
	}
	if len(said) != 4 || said[1] != "user count" || said[2] != "assistant one two" || said[3] != "user go on" ||
		!strings.Contains(said[0], "Sandbox mode: danger-full-access.") {
		t.Errorf("the model heard %q", said)
	}
}

func TestTheModelsCallsAreRunAndTheirResultsSentBack(t *testing.T) {
	e := serve(t,
		does(runs("a", "echo one; pwd"), runs("b", "echo two >&2; exit 3"), made{"c", "task_list", ""}),
		says("done"))
	c := connect(t, e, sandbox.DangerFullAccess, nil)
	wants(c, "go", acp.StopReasonEndTurn)
	want := []string{
		"a: one\n" + dirOf(t, c) + "\n", "b: [stderr]\ntwo\n[exit code: 3]\n", "c: (no background tasks)\n",
	}
	if got := results(e); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("results %q, want %q", got, want)
	}
	calls := e.last()[2].ToolCalls
	if len(calls) != 3 || calls[0].Function.Arguments != runs("a", "echo one; pwd").arguments || calls[2].Function.Arguments != "{}" {
		t.Errorf("the model reads of its calls: %+v", calls)
	}
	var statuses, titles []string
	for _, call := range c.Calls() {
		titles = append(titles, call.Title)
		statuses = append(statuses, string(call.Statuses[len(call.Statuses)-1]))
	}
	if strings.Join(statuses, " ") != "completed failed completed" || strings.Join(titles, "|") != "`echo one; pwd`|`echo two >&2; exit 3`|task_list" {
		t.Errorf("shown %q, %q", statuses, titles)
	}
	if c.Message() != "done" {
		t.Errorf("%q", c.Message())
	}
}

// dirOf is the directory of the client's session.
func dirOf(t *testing.T, c *acptest.Client) string {
	t.Helper()
	for _, mode := range c.Session.Modes.AvailableModes {
		if _, after, ok := strings.Cut(*mode.Description, "beneath "); ok {
			dir, _, _ := strings.Cut(after, " ")
			return dir
		}
	}
	t.Fatal("no mode names the workspace")
	return ""
}

func TestCallsThatCannotBeMadeAreErrorsForTheModel(t *testing.T) {
	e := serve(t,
		does(made{"a", "rm", `{}`}, made{"b", "bash", `{"command":"echo x >> ran"`}, made{"c", "bash", `{"nope":1}`}, made{"d", "task_kill", `{"task_id":"9"}`}),
		says("oh"))
	c := connect(t, e, sandbox.DangerFullAccess, nil)
	wants(c, "go", acp.StopReasonEndTurn)
	for i, want := range []string{
		`a: error: there is no tool "rm" (there are bash, task_output, task_list, task_kill)`,
		"b: error: invalid arguments: they must be one JSON object", "c: error: invalid argument nope", `d: error: task "9": no such`,
	} {
		if got := results(e)[i]; !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if arguments := e.last()[2].ToolCalls[1].Function.Arguments; arguments != "{}" {
		t.Errorf("an endpoint that reads its own calls gets %q", arguments)
	}
	if _, err := os.Stat(filepath.Join(dirOf(t, c), "ran")); !os.IsNotExist(err) {
		t.Errorf("it ran: %v", err)
	}
}

func TestTheModelHasBackgroundTasks(t *testing.T) {
	e := serve(t,
		does(runs("a", "until [ -e go ]; do read -t .05 <> <(:); done; echo out", `"run_in_background":true`)),
		does(runs("b", "touch go"), made{"c", "task_output", `{"task_id":"1","waitMs":60000}`}),
		says("done"), says("indeed"))
	c := connect(t, e, sandbox.DangerFullAccess, nil)
	wants(c, "go", acp.StopReasonEndTurn)
	got := results(e)
	if got[0] != "a: started background task 1\n" || !strings.HasPrefix(got[2], "c: out\n[exit code: 0]\n") {
		t.Errorf("%q", got)
	}
	var heard string
	c.Eventually("the model hears of the end", func() bool {
		wants(c, "well?", acp.StopReasonEndTurn)
		heard = ""
		for _, message := range e.last() {
			heard += message.Content
		}
		return strings.Contains(heard, "[background task 1 ended: exit code 0]\n")
	})
	if strings.Count(heard, "[background task 1 ended") != 1 {
		t.Errorf("the model heard %q", heard)
	}
}

func TestTheModelHearsOfAnotherMode(t *testing.T) {
	e := serve(t, says("yes"))
	c := connect(t, e, sandbox.DangerFullAccess, nil)
	wants(c, "one", acp.StopReasonEndTurn)
	before := e.last()
	if _, err := c.SetSessionMode(c.Bounded(), acp.SetSessionModeRequest{SessionId: c.Session.SessionId, ModeId: "workspace-write"}); err != nil {
		t.Fatal(err)
	}
	wants(c, "two", acp.StopReasonEndTurn)
	after := e.last()
	for i, message := range before {
		if after[i].Content != message.Content {
			t.Errorf("what the model had read is now %q", after[i].Content)
		}
	}
	if last := after[len(after)-1].Content; !strings.Contains(last, "Sandbox mode: workspace-write.") || !strings.HasSuffix(last, "\n\ntwo") {
		t.Errorf("%q", last)
	}
}

func TestTheModelMayAsk(t *testing.T) {
	for _, tt := range []struct {
		answer acptest.Answer
		reason acp.StopReason
		want   string
	}{
		{acptest.Choose("allow-once"), acp.StopReasonEndTurn, "c: (no output)\n"},
		{acptest.Choose("reject"), acp.StopReasonEndTurn, "c: error: sandbox: escalation from \"read-only\" to \"workspace-write\" refused: the user rejected it\n"},
		{acptest.Withdraw, acp.StopReasonCancelled, ""},
	} {
		e := serve(t,
			does(runs("a", "echo x >> count"), runs("b", "echo still read-only")),
			does(runs("c", "echo x >> count", `"sandbox_permissions":"workspace-write","justification":"as the user wants"`), runs("d", "echo x >> count")),
			says("done"))
		c := connect(t, e, sandbox.ReadOnly, tt.answer)
		if got := c.Say("count"); got != tt.reason {
			t.Errorf("ended with %s, want %s; %s", got, tt.reason, c.Message())
		}
		if strings.Contains(results(e)[0], sandbox.ErrUnavailable.Error()) {
			t.Skipf("nothing confines here: %s", results(e)[0])
		}
		if tt.want != "" && (results(e)[2] != tt.want || !strings.Contains(results(e)[3], sandbox.DenialMarker(sandbox.ReadOnly))) {
			t.Errorf("%q, want %q", results(e), tt.want)
		}
		asked := c.Asked()
		if len(asked) != 1 || !strings.Contains(acptest.Question(asked[0]), "asked by:   the model tester at 127.0.0.1:") {
			t.Errorf("asked %d times: %+v", len(asked), asked)
		}
		written, _ := os.ReadFile(filepath.Join(dirOf(t, c), "count"))
		if want := strings.Contains(tt.want, "no output"); want != (string(written) == "x\n") {
			t.Errorf("%s: written %q", tt.want, written)
		}
	}
}

func TestACancelledPromptLeavesNoCallWithoutAResult(t *testing.T) {
	e := serve(t, does(runs("a", "touch began; sleep 300"), runs("b", "touch ran")), says("as you like"))
	c := connect(t, e, sandbox.DangerFullAccess, nil)
	go func() {
		c.Eventually("the command runs", func() bool {
			_, err := os.Stat(filepath.Join(dirOf(t, c), "began"))
			return err == nil
		})
		_ = c.Cancel(context.Background(), acp.CancelNotification{SessionId: c.Session.SessionId})
	}()
	wants(c, "go", acp.StopReasonCancelled)
	wants(c, "never mind", acp.StopReasonEndTurn)
	got := results(e)
	if len(got) != 2 || !strings.HasPrefix(got[0], "a: (no output)\n[") || got[1] != "b: "+notRun {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(dirOf(t, c), "ran")); !os.IsNotExist(err) {
		t.Errorf("the second call ran: %v", err)
	}
}

func TestACancelEndsTheStream(t *testing.T) {
	gone := make(chan struct{})
	e := serve(t, func(w http.ResponseWriter, req *http.Request) {
		stream(delta(`{"content":"half a "}`))(w, req)
		<-req.Context().Done()
		close(gone)
	}, says("well"))
	c := connect(t, e, sandbox.DangerFullAccess, nil)
	go func() {
		c.Eventually("half a word is shown", func() bool { return c.Message() == "half a " })
		_ = c.Cancel(context.Background(), acp.CancelNotification{SessionId: c.Session.SessionId})
	}()
	wants(c, "go", acp.StopReasonCancelled)
	<-gone
	if c.Message() != "half a " {
		t.Errorf("%q", c.Message())
	}
	wants(c, "go on", acp.StopReasonEndTurn)
	if said := e.last()[2]; said.Role != openai.ChatMessageRoleAssistant || said.Content != "half a " {
		t.Errorf("%+v", e.last())
	}
}

func TestAnEndlessLoopEnds(t *testing.T) {
	e := serve(t, does(made{"a", "task_list", "{}"}))
	c := connect(t, e, sandbox.DangerFullAccess, nil)
	wants(c, "go", acp.StopReasonMaxTurnRequests)
	if n := len(e.asked()); n != maxRounds {
		t.Errorf("asked %d times", n)
	}
	if !strings.Contains(c.Message(), "has called tools 50 times") {
		t.Errorf("%q", c.Message())
	}
}

func TestAnAnswerThatIsCutOffRunsNothing(t *testing.T) {
	call := delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":` + quote(runs("", "touch ran").arguments) + `}}]}`)
	for name, tt := range map[string]struct {
		reply  reply
		reason acp.StopReason
		said   string
	}{
		"too long":  {stream(call, finish("length"), done), acp.StopReasonMaxTokens, ""},
		"filtered":  {stream(call, finish("content_filter"), done), acp.StopReasonRefusal, ""},
		"no end":    {stream(call), acp.StopReasonEndTurn, "ended before it was complete"},
		"malformed": {stream(call, "data: {nonsense", finish("tool_calls"), done), acp.StopReasonEndTurn, "failed"},
		"an error":  {stream(call, `data: {"error":{"message":"overloaded"}}`), acp.StopReasonEndTurn, "overloaded"},
		"endless": {func(w http.ResponseWriter, req *http.Request) {
			piece := delta(`{"tool_calls":[{"index":0,"function":{"arguments":"` + strings.Repeat("y", 1<<20) + `"}}]}`)
			stream(call)(w, req)
			for req.Context().Err() == nil {
				stream(piece)(w, req)
			}
		}, acp.StopReasonEndTurn, "longer than 16 MiB"},
		"broken": {func(w http.ResponseWriter, req *http.Request) {
			stream(call)(w, req)
			panic(http.ErrAbortHandler)
		}, acp.StopReasonEndTurn, "failed"},
	} {
		e := serve(t, tt.reply, says("better"))
		c := connect(t, e, sandbox.DangerFullAccess, nil)
		wants(c, "go", tt.reason)
		if !strings.Contains(c.Message(), tt.said) {
			t.Errorf("%s: %q, want %q", name, c.Message(), tt.said)
		}
		wants(c, "again", acp.StopReasonEndTurn)
		if _, err := os.Stat(filepath.Join(dirOf(t, c), "ran")); !os.IsNotExist(err) || len(c.Calls()) != 0 {
			t.Errorf("%s: it ran: %v", name, err)
		}
		for _, message := range e.last() {
			if len(message.ToolCalls) != 0 {
				t.Errorf("%s: a call without a result: %+v", name, message)
			}
		}
	}
}

func TestTheEndpointsErrorsAreToldWithoutTheKey(t *testing.T) {
	for _, tt := range []struct {
		reply reply
		want  []string
	}{
		{status(401, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`), []string{"401 Unauthorized", "Incorrect API key provided: [key]"}},
		{status(500, "no JSON, but "+key), []string{"500 Internal Server Error", "no JSON, but [key]"}},
		{status(429, `{"error":{"message":"slow\u001b[2J down"}}`), []string{"429 Too Many Requests", `slow\x1b[2J down`}},
		{func(w http.ResponseWriter, _ *http.Request) { reason(w, "403 Not with "+key) }, []string{"(403 Not with [key])"}},
		{status(502, ""), []string{"502 Bad Gateway"}},
	} {
		e := serve(t, tt.reply, says("well"))
		c := connect(t, e, sandbox.DangerFullAccess, nil)
		wants(c, "go", acp.StopReasonEndTurn)
		for _, want := range append(tt.want, "`tester` at `"+strings.TrimPrefix(e.URL, "http://")+"` failed") {
			if !strings.Contains(c.Message(), want) {
				t.Errorf("%q lacks %q", c.Message(), want)
			}
		}
		if strings.Contains(c.Message(), key) {
			t.Errorf("the key is told: %q", c.Message())
		}
		wants(c, "again", acp.StopReasonEndTurn)
	}
}

func TestAnEndpointThatIsNotThere(t *testing.T) {
	e := serve(t, says(""))
	c := connect(t, e, sandbox.DangerFullAccess, nil)
	e.Close()
	wants(c, "go", acp.StopReasonEndTurn)
	if !strings.Contains(c.Message(), "connection refused") || strings.Contains(c.Message(), key) {
		t.Errorf("%q", c.Message())
	}
}
