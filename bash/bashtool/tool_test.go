package bashtool

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
)

var session = Session{ID: "s1", Dir: "/session", Caller: "model in s1"}

func TestWhatACallBecomes(t *testing.T) {
	e := &executor{mode: sandbox.ReadOnly}
	tool := newTool(t, Config{Executor: e, Policies: resolver{sandbox.WorkspaceWrite}})
	tests := []struct {
		arguments string
		want      bash.Spec
	}{
		{`{"command":"make","description":"Build"}`, bash.Spec{Command: "make", Workdir: "/session"}},
		{`{"command":"make","description":"Build","workdir":"sub/../x","timeoutMs":1500}`, bash.Spec{Command: "make", Workdir: "/session/sub/../x", Timeout: 1500 * time.Millisecond}},
		{`{"command":"make","description":"Build","workdir":"/abs","timeoutMs":null}`, bash.Spec{Command: "make", Workdir: "/abs"}},
		{`{"command":"-x","description":"Build","run_in_background":false}`, bash.Spec{Command: "-x", Workdir: "/session"}},
	}
	for _, tt := range tests {
		e.ran = nil
		if _, err := tool.Run(t.Context(), Call{Session: session, Arguments: arg(tt.arguments)}); err != nil {
			t.Errorf("%s: %v", tt.arguments, err)
			continue
		}
		tt.want.Policy = sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: "/session", SessionID: "s1"}
		tt.want.Managed = map[string]string{"DSH_SHELL": "1", "DSH_SESSION_ID": "s1"}
		if !reflect.DeepEqual(e.ran, []bash.Spec{tt.want}) {
			t.Errorf("%s ran %+v, want %+v", tt.arguments, e.ran, tt.want)
		}
	}
}

func TestBadArgumentsRunNothingAndAskNobody(t *testing.T) {
	e := &executor{mode: sandbox.ReadOnly}
	asks := &approver{decision: sandbox.DecisionAllowedOnce}
	tool := newTool(t, Config{Executor: e, Policies: resolver{sandbox.WorkspaceWrite}})
	const good = `"command":"touch x","description":"Touch"`
	tests := []struct {
		arguments, argument string
		want                error
	}{
		{``, "", ErrNotObject},
		{`[]`, "", ErrNotObject},
		{`"touch x"`, "", ErrNotObject},
		{`{` + good, "", ErrNotObject},
		{`{` + good + `}{}`, "", ErrNotObject},
		{`{"description":"Touch"}`, "command", ErrBlank},
		{`{"command":"","description":"Touch"}`, "command", ErrBlank},
		{`{"command":" \n","description":"Touch"}`, "command", ErrBlank},
		{`{"command":["touch"],"description":"Touch"}`, "command", ErrWrongType},
		{`{"command":"touch x"}`, "description", ErrBlank},
		{`{"command":"touch x","description":"a\nb"}`, "description", ErrSeveral},
		{`{` + good + `,"command":"touch y"}`, "command", ErrWrongType},
		{`{` + good + `,"timeoutMs":0}`, "timeoutMs", ErrNotPositive},
		{`{` + good + `,"timeoutMs":-1}`, "timeoutMs", ErrNotPositive},
		{`{` + good + `,"timeoutMs":1.5}`, "timeoutMs", ErrWrongType},
		{`{` + good + `,"timeoutMs":"1000"}`, "timeoutMs", ErrWrongType},
		{`{` + good + `,"timeoutMs":9223372036854775807}`, "timeoutMs", ErrNotPositive},
		{`{` + good + `,"run_in_background":"yes"}`, "run_in_background", ErrWrongType},
		{`{` + good + `,"timeout":5}`, "timeout", ErrUnknown},
		{`{` + good + `,"sandbox_permissions":{},"justification":"x"}`, "sandbox_permissions", ErrWrongType},
		{`{` + good + `,"sandbox_permissions":"danger-full-access"}`, "", sandbox.ErrPermissionsWithoutJustification},
		{`{` + good + `,"sandbox_permissions":"danger-full-access","justification":" "}`, "", sandbox.ErrPermissionsWithoutJustification},
		{`{` + good + `,"justification":"x"}`, "", sandbox.ErrJustificationWithoutPermissions},
		{`{` + good + `,"sandbox_permissions":"","justification":""}`, "", sandbox.ErrNotEscalation},
		{`{` + good + `,"sandbox_permissions":"read-only","justification":"x"}`, "", sandbox.ErrNotEscalation},
		{`{` + good + `,"sandbox_permissions":"everything","justification":"x"}`, "", sandbox.ErrNotEscalation},
		{`{` + good + `,"sandbox_permissions":"workspace-write","justification":"x"}`, "", sandbox.ErrNotWider},
	}
	for _, tt := range tests {
		text, err := tool.Run(t.Context(), Call{Session: session, Arguments: arg(tt.arguments), Approver: asks})
		var bad *ArgumentError
		if text != "" || !errors.Is(err, tt.want) || tt.argument != "" && (!errors.As(err, &bad) || bad.Argument != tt.argument) {
			t.Errorf("%s: %q, %v, want %v", tt.arguments, text, err, tt.want)
		}
	}
	if len(e.ran) != 0 || len(asks.asked) != 0 {
		t.Errorf("ran %d, asked %d times", len(e.ran), len(asks.asked))
	}
}

func TestEscalation(t *testing.T) {
	const arguments = `{"command":"touch x","description":"Touch","sandbox_permissions":"danger-full-access","justification":"to build"}`
	for _, policies := range []Policies{nil, resolver{sandbox.ReadOnly}} {
		root := "/session"
		if policies == nil {
			root = "/default"
		}
		e := &executor{mode: sandbox.ReadOnly}
		tool := newTool(t, Config{Executor: e, Policies: policies})
		asks := &approver{decision: sandbox.DecisionAllowedOnce}
		if _, err := tool.Run(t.Context(), Call{Session: session, Arguments: arg(arguments), Approver: asks}); err != nil {
			t.Fatal(err)
		}
		if len(asks.asked) != 1 || asks.asked[0].Subject != "touch x" || asks.asked[0].Justification != "to build" || asks.asked[0].Policy.Mode != sandbox.ReadOnly {
			t.Errorf("asked %+v", asks.asked)
		}
		if _, err := tool.Run(t.Context(), Call{Session: session, Arguments: arg(`{"command":"touch x","description":"Touch"}`), Approver: asks}); err != nil {
			t.Fatal(err)
		}
		if len(e.ran) != 2 || e.ran[0].Policy.Mode != sandbox.DangerFullAccess || e.ran[1].Policy.Mode != sandbox.ReadOnly {
			t.Fatalf("ran %+v", e.ran)
		}
		if e.ran[0].Policy.WorkspaceRoot != root {
			t.Errorf("the root changed to %q", e.ran[0].Policy.WorkspaceRoot)
		}
	}
}

func TestARefusedEscalationRunsNothing(t *testing.T) {
	const arguments = `{"command":"touch x","description":"Touch","sandbox_permissions":"workspace-write","justification":"to build"}`
	e := &executor{mode: sandbox.ReadOnly}
	tool := newTool(t, Config{Executor: e})
	nobody := session
	nobody.Caller = ""
	for _, tt := range []struct {
		session  Session
		approver sandbox.Approver
		want     error
	}{
		{session, &approver{decision: sandbox.DecisionRejected}, sandbox.ErrRejected},
		{session, &approver{decision: sandbox.DecisionCancelled}, sandbox.ErrCancelled},
		{session, &approver{decision: sandbox.DecisionUnavailable}, sandbox.ErrApprovalUnavailable},
		{session, nil, sandbox.ErrNoApprover},
		{nobody, &approver{decision: sandbox.DecisionAllowedOnce}, sandbox.ErrNoCaller},
	} {
		_, err := tool.Run(t.Context(), Call{Session: tt.session, Arguments: arg(arguments), Approver: tt.approver})
		var refused *sandbox.EscalationError
		if !errors.Is(err, tt.want) || !errors.As(err, &refused) {
			t.Errorf("%v, want %v", err, tt.want)
		}
	}
	if len(e.ran) != 0 {
		t.Errorf("ran %+v", e.ran)
	}
}

// narrow resolves no wider mode: the directory is one that cannot have it.
type narrow struct{}

func (narrow) Resolve(req sandbox.PolicyRequest) (sandbox.Policy, error) {
	if req.Mode == sandbox.WorkspaceWrite {
		return sandbox.Policy{}, sandbox.ErrRootTooWide
	}
	return resolver{sandbox.ReadOnly}.Resolve(req)
}

func TestNobodyIsAskedForAPolicyThatCannotBeHad(t *testing.T) {
	e := &executor{mode: sandbox.ReadOnly}
	tool := newTool(t, Config{Executor: e, Policies: narrow{}})
	asks := &approver{decision: sandbox.DecisionAllowedOnce}
	arguments := arg(`{"command":"touch x","description":"Touch","sandbox_permissions":"workspace-write","justification":"to build"}`)
	_, err := tool.Run(t.Context(), Call{Session: session, Arguments: arguments, Approver: asks})
	if !errors.Is(err, sandbox.ErrRootTooWide) || len(asks.asked) != 0 || len(e.ran) != 0 {
		t.Errorf("%v; asked %d times, ran %d", err, len(asks.asked), len(e.ran))
	}
}

func TestTheEscalationFieldsAreThereOnlyForAConfiningDefault(t *testing.T) {
	for name, e := range map[string]bash.Executor{
		"full access by default": &executor{mode: sandbox.DangerFullAccess},
		"confines nothing":       plain{&executor{}},
	} {
		tool := newTool(t, Config{Executor: e})
		if strings.Contains(string(tool.Schema())+tool.Description(), "sandbox") {
			t.Errorf("%s: the model is told of a sandbox", name)
		}
		_, err := tool.Run(t.Context(), Call{Arguments: arg(`{"command":"c","description":"d","sandbox_permissions":"workspace-write","justification":"j"}`)})
		if !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	tool := newTool(t, Config{Executor: &executor{mode: sandbox.ReadOnly}})
	var schema struct {
		Properties map[string]struct{ Type string }
		Required   []string
		Closed     *bool `json:"additionalProperties"`
	}
	if err := json.Unmarshal(tool.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	if len(schema.Properties) != 7 || !reflect.DeepEqual(schema.Required, []string{"command", "description"}) || schema.Closed == nil || *schema.Closed {
		t.Errorf("schema %s", tool.Schema())
	}
	if string(tool.Schema()) != string(tool.Schema()) || !strings.Contains(tool.Description(), "sandbox_permissions") {
		t.Error("the schema changes, or the description lacks the guidance")
	}
}

func TestAnExecutorsErrorIsPassedOn(t *testing.T) {
	unavailable := &sandbox.UnavailableError{Mode: sandbox.ReadOnly}
	tool := newTool(t, Config{Executor: &executor{mode: sandbox.ReadOnly, err: unavailable}})
	for _, arguments := range []string{`{"command":"c","description":"d"}`, `{"command":"c","description":"d","run_in_background":true}`} {
		if text, err := tool.Run(t.Context(), Call{Arguments: arg(arguments)}); text != "" || !errors.Is(err, sandbox.ErrUnavailable) {
			t.Errorf("%q, %v", text, err)
		}
	}
}

func TestNewNeedsAnExecutor(t *testing.T) {
	if _, err := New(Config{}); err == nil {
		t.Error("no executor is accepted")
	}
}
