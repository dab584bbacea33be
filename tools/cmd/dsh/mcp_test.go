package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dsh-go/dsh/sandbox"
)

func TestMCPRunsAndDenies(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		for _, version := range generations {
			c := startMCP(t, mcpOptions{version: version, args: args})
			c.wants(bashCall("echo hi; pwd; echo $DSH_SHELL"), "hi\n"+c.workspace+"\n1\n")
			outside := c.outside()
			got, failed := c.call(bashCall("echo x >> " + outside))
			want := sandbox.DenialMarker(sandbox.ReadOnly) + "\n" + sandbox.EscalationHint("command") + "\n[exit code: 1]\n"
			if failed || !strings.HasPrefix(got, "[stderr]\n") || !strings.HasSuffix(got, "\n"+want) {
				t.Errorf("denied: %q, error %v", got, failed)
			}
			if n := lines(t, outside); n != 0 {
				t.Errorf("%d lines were written", n)
			}
		}
	})
}

func TestMCPErrorsAreForTheModelAndRunNothing(t *testing.T) {
	c := startMCP(t, mcpOptions{args: []string{"--mode", "workspace-write"}, answer: yes})
	for want, more := range map[string]arguments{
		"invalid argument nope: there is no such argument":    {"nope": 1},
		"invalid argument timeoutMs: it must be a positive":   {"timeoutMs": 0},
		"invalid argument description: it must not be blank":  {"description": " "},
		"cannot start in the working directory":               {"workdir": "nowhere"},
		"needs a justification that is not blank":             {"sandbox_permissions": "danger-full-access"},
		`escalation to "danger-full-access" refused: sandbox`: {"sandbox_permissions": "danger-full-access", "justification": " "},
		"justification is only for a call with":               {"justification": "why not"},
		"not wider than the mode in effect":                   escalated("workspace-write"),
		"not a mode that can be asked for":                    escalated("read-only"),
		"invalid argument sandbox_permissions: it has the":    {"sandbox_permissions": map[string]any{}, "justification": "why not"},
	} {
		c.refuses(bashCall("echo x >> ran", more), want)
	}
	c.refuses(&mcp.CallToolParams{Name: "task_output", Arguments: arguments{"task_id": "1"}}, `task "1": no such background task`)
	if n := lines(t, c.workspace+"/ran"); n != 0 {
		t.Errorf("%d calls ran", n)
	}
	if asked := c.noted(&c.asked); len(asked) != 0 {
		t.Errorf("the user was asked: %q", asked)
	}
}

// The ways in which a user or a client answers.
func yes() (*mcp.ElicitResult, error) {
	return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "allow once"}}, nil
}

func answers(action string, content map[string]any) func() (*mcp.ElicitResult, error) {
	return func() (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: action, Content: content}, nil
	}
}

func TestMCPEscalationIsGoodForOneCall(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		for _, version := range generations {
			for _, mode := range []string{"workspace-write", "danger-full-access"} {
				c := startMCP(t, mcpOptions{version: version, args: args, answer: yes})
				command := "echo x >> count"
				denied := func() {
					t.Helper()
					if got, _ := c.call(bashCall(command)); !strings.Contains(got, sandbox.DenialMarker(sandbox.ReadOnly)) {
						t.Errorf("without asking: %q", got)
					}
				}
				denied()
				c.wants(bashCall(command, escalated(mode)), "(no output)\n")
				denied()
				if n := lines(t, c.workspace+"/count"); n != 1 {
					t.Errorf("%s, %s: ran %d times", version, mode, n)
				}
				checkPrompt(t, c.noted(&c.asked), mode, c.workspace)
			}
		}
	})
}

func checkPrompt(t *testing.T, asked []string, mode, workspace string) {
	t.Helper()
	if len(asked) != 1 {
		t.Fatalf("the user was asked %d times: %q", len(asked), asked)
	}
	for _, want := range []string{
		"asked by:   tester 1.2\n", "mode now:   read-only", "mode asked: " + mode, "directory:  " + workspace + "\n",
		"    | echo x >> count\n", "    | the user wants it\n",
	} {
		if !strings.Contains(asked[0], want) {
			t.Errorf("the prompt lacks %q:\n%s", want, asked[0])
		}
	}
}

func TestMCPEscalationRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func() (*mcp.ElicitResult, error)
		want   string
	}{
		{"no", answers("accept", map[string]any{"decision": "reject"}), "the user rejected it"},
		{"a form without an answer", answers("accept", nil), "the user rejected it"},
		{"decline", answers("decline", nil), "the user rejected it"},
		{"cancel", answers("cancel", nil), "the user cancelled the question"},
		{"unknown", answers("perhaps", nil), "the user could not be asked"},
		{"unsupported", nil, "the user could not be asked: the client does not support elicitation"},
	} {
		for _, version := range generations {
			t.Run(tt.name+" "+version, func(t *testing.T) {
				c := startMCP(t, mcpOptions{version: version, answer: tt.answer})
				c.refuses(bashCall("echo x >> ran", escalated("workspace-write")), tt.want)
				if n := lines(t, c.workspace+"/ran"); n != 0 {
					t.Error("it ran")
				}
			})
		}
	}
}

func TestMCPEscalationWhoseQuestionFails(t *testing.T) {
	broken := func() (*mcp.ElicitResult, error) { return nil, errors.New("no screen") }
	c := startMCP(t, mcpOptions{version: generations[0], answer: broken})
	c.refuses(bashCall("echo x >> ran", escalated("workspace-write")), "the user could not be asked")
	// The newer client fails by itself and does not come back.
	c2 := startMCP(t, mcpOptions{version: generations[1], answer: broken})
	if result, err := c2.CallTool(t.Context(), bashCall("echo x >> ran", escalated("workspace-write"))); err == nil {
		t.Errorf("%+v", result)
	}
	if lines(t, c.workspace+"/ran")+lines(t, c2.workspace+"/ran") != 0 {
		t.Error("it ran")
	}
}

// open makes a call that ends with a question and returns its state.
func (c *mcpClient) open(params *mcp.CallToolParams) string {
	c.Helper()
	result, err := c.CallTool(c.Context(), params)
	if err != nil || !result.NeedsInput() || len(result.InputRequests) != 1 || result.RequestState == "" {
		c.Fatalf("%+v, %v", result, err)
	}
	return result.RequestState
}

// answered returns the call as it is made again, with a yes.
func answered(params *mcp.CallToolParams, state string) *mcp.CallToolParams {
	again := *params
	allowed, _ := yes()
	again.InputResponses = mcp.InputResponseMap{"approval": allowed}
	again.RequestState = state
	return &again
}

func TestMCPAnAnswerIsForTheCallThatAsked(t *testing.T) {
	c := startMCP(t, mcpOptions{answer: yes, raw: true})
	asks := bashCall("echo x >> count", escalated("workspace-write"))
	const noQuestion, otherCall = "belongs to no question", "belongs to another call"

	for name, other := range map[string]*mcp.CallToolParams{
		"command":     bashCall("echo y >> count", escalated("workspace-write")),
		"mode":        bashCall("echo x >> count", escalated("danger-full-access")),
		"directory":   bashCall("echo x >> count", escalated("workspace-write"), arguments{"workdir": "/tmp"}),
		"background":  bashCall("echo x >> count", escalated("workspace-write"), arguments{"run_in_background": true}),
		"no question": bashCall("echo x >> count"),
		"tool":        {Name: "task_list", Arguments: arguments{}},
	} {
		state := c.open(asks)
		t.Log(name)
		c.refuses(answered(other, state), otherCall)
		c.refuses(answered(asks, state), noQuestion) // a misused state is spent
	}
	c.refuses(answered(asks, "GUESSED"), noQuestion)
	c.refuses(answered(asks, ""), noQuestion)
	withoutAnswer := answered(asks, c.open(asks))
	withoutAnswer.InputResponses = nil
	c.refuses(withoutAnswer, "is not one to the question")
	if n := lines(t, c.workspace+"/count"); n != 0 {
		t.Fatalf("ran %d times", n)
	}

	state := c.open(asks)
	c.wants(answered(asks, state), "(no output)\n")
	c.refuses(answered(asks, state), noQuestion)
	if n := lines(t, c.workspace+"/count"); n != 1 {
		t.Errorf("ran %d times", n)
	}
	other := startMCP(t, mcpOptions{answer: yes, raw: true})
	other.refuses(answered(asks, c.open(asks)), noQuestion)
}

func TestMCPOpenQuestionsAreBounded(t *testing.T) {
	c := startMCP(t, mcpOptions{answer: yes, raw: true})
	asks := func(i int) *mcp.CallToolParams {
		return bashCall(fmt.Sprintf("echo x >> count # %d", i), escalated("workspace-write"))
	}
	var states []string
	for i := range 17 {
		states = append(states, c.open(asks(i)))
	}
	c.refuses(answered(asks(0), states[0]), "belongs to no question")
	c.wants(answered(asks(1), states[1]), "(no output)\n")
}

func TestMCPShowsWhatBashtoolSays(t *testing.T) {
	c := startMCP(t, mcpOptions{args: []string{"--mode", "danger-full-access"}})
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names, harmless []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		if tool.Annotations != nil && tool.Annotations.ReadOnlyHint {
			harmless = append(harmless, tool.Name)
		}
		if strings.Contains(fmt.Sprint(tool.InputSchema)+tool.Description, "sandbox_permissions") {
			t.Errorf("%s: there is nothing wider, and it says how to ask for it", tool.Name)
		}
	}
	if got := strings.Join(names, " "); got != "bash task_kill task_list task_output" {
		t.Errorf("tools %s", got)
	}
	if got := strings.Join(harmless, " "); got != "task_list task_output" {
		t.Errorf("clients may call without asking: %s", got)
	}
	if says := c.InitializeResult().Instructions; !strings.HasPrefix(says, "Sandbox mode: danger-full-access.") {
		t.Errorf("instructions %q", says)
	}
	c.wants(&mcp.CallToolParams{Name: "task_list"}, "(no background tasks)\n")
}
