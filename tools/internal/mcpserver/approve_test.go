package mcpserver

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
)

func TestDecision(t *testing.T) {
	for _, tt := range []struct {
		action  string
		content map[string]any
		want    sandbox.Decision
	}{
		{"accept", map[string]any{"decision": "allow once"}, sandbox.DecisionAllowedOnce},
		{"accept", map[string]any{"decision": "reject"}, sandbox.DecisionRejected},
		{"accept", map[string]any{"decision": true}, sandbox.DecisionRejected},
		{"accept", map[string]any{"Decision": "allow once"}, sandbox.DecisionRejected},
		{"accept", nil, sandbox.DecisionRejected},
		{"decline", map[string]any{"decision": "allow once"}, sandbox.DecisionRejected},
		{"cancel", map[string]any{"decision": "allow once"}, sandbox.DecisionCancelled},
		{"", map[string]any{"decision": "allow once"}, sandbox.DecisionUnavailable},
	} {
		got, err := decision(&mcp.ElicitResult{Action: tt.action, Content: tt.content})
		if got != tt.want || (err != nil) != (tt.want == sandbox.DecisionUnavailable) {
			t.Errorf("%+v: %v, %v", tt, got, err)
		}
	}
}

func TestElicits(t *testing.T) {
	form, url := &mcp.FormElicitationCapabilities{}, &mcp.URLElicitationCapabilities{}
	for _, tt := range []struct {
		client *mcp.ClientCapabilities
		want   bool
	}{
		{nil, false},
		{&mcp.ClientCapabilities{}, false},
		{&mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}}, true},
		{&mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: form}}, true},
		{&mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: form, URL: url}}, true},
		{&mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: url}}, false},
	} {
		if got := elicits(tt.client); got != tt.want {
			t.Errorf("%+v: %v", tt.client, got)
		}
	}
}

// TestAnAnswerApprovesWhatWasAskedAlone has the circumstances of a call change
// between the question and the answer.
func TestAnAnswerApprovesWhatWasAskedAlone(t *testing.T) {
	asked := sandbox.EscalationRequest{
		Mode: sandbox.DangerFullAccess, Caller: "a", Subject: "b", Justification: "c", Dir: "/w",
		Policy: sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: "/w", SessionID: "s"},
	}
	given := &answered{asked, &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "allow once"}}}
	if got, err := given.Decide(context.Background(), asked); got != sandbox.DecisionAllowedOnce || err != nil {
		t.Fatalf("%v, %v", got, err)
	}
	for name, change := range map[string]func(*sandbox.EscalationRequest){
		"mode":          func(r *sandbox.EscalationRequest) { r.Mode = sandbox.WorkspaceWrite },
		"caller":        func(r *sandbox.EscalationRequest) { r.Caller = "z" },
		"command":       func(r *sandbox.EscalationRequest) { r.Subject = "z" },
		"justification": func(r *sandbox.EscalationRequest) { r.Justification = "z" },
		"directory":     func(r *sandbox.EscalationRequest) { r.Dir = "z" },
		"mode in force": func(r *sandbox.EscalationRequest) { r.Policy.Mode = sandbox.WorkspaceWrite },
		"root":          func(r *sandbox.EscalationRequest) { r.Policy.WorkspaceRoot = "z" },
		"session":       func(r *sandbox.EscalationRequest) { r.Policy.SessionID = "z" },
	} {
		other := asked
		change(&other)
		if got, err := given.Decide(context.Background(), other); got == sandbox.DecisionAllowedOnce || err == nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestFingerprintIsOfTheArgumentsNotTheirText(t *testing.T) {
	print := func(text string) string {
		return fingerprint(&mcp.CallToolParamsRaw{Name: "bash", Arguments: []byte(text)})
	}
	if print(`{"a":1,"b":"x"}`) != print(` { "b" : "\u0078", "a":1 }`) {
		t.Error("the same arguments differ")
	}
	for _, other := range []string{`{"a":1}`, `{"a":2,"b":"x"}`, `{"a":"1","b":"x"}`, `{`, ``, `null`, `{"a":9007199254740993,"b":"x"}`} {
		if print(other) == print(`{"a":1,"b":"x"}`) {
			t.Errorf("%s is the same", other)
		}
	}
	if print(`9007199254740993`) == print(`9007199254740992`) {
		t.Error("long numbers are the same")
	}
}

func TestLastLine(t *testing.T) {
	p := &progress{}
	for _, tt := range []struct {
		stream bash.Stream
		chunk  string
		want   string
	}{
		{bash.Stdout, "one\ntw", "tw"},
		{bash.Stdout, "o\n \n", "two"},
		{bash.Stderr, "oh\n", "oh"},
		{bash.Stdout, "10%\r20%\r", "20%"},
		{bash.Stdout, "\x1b[1mbold\xff\n", `\x1b[1mbold` + "\uFFFD"},
		{bash.Stdout, strings.Repeat("z", 5000), strings.Repeat("z", 120) + "…"},
	} {
		p.observe(tt.stream, []byte(tt.chunk))
		if got := lastLine(p.tail); got != tt.want {
			t.Errorf("after %.20q: %q, want %q", tt.chunk, got, tt.want)
		}
	}
	if len(p.tail) > maxTail {
		t.Errorf("%d bytes are kept", len(p.tail))
	}
}
