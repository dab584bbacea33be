package acpagent

import (
	"errors"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
)

func TestPromptText(t *testing.T) {
	for _, tt := range []struct {
		blocks []acp.ContentBlock
		want   string
		err    error
	}{
		{[]acp.ContentBlock{acp.TextBlock("cat "), acp.ResourceLinkBlock("a", "file:///w/a%20b"), acp.TextBlock(" | wc")}, "cat '/w/a b' | wc", nil},
		{[]acp.ContentBlock{acp.ResourceLinkBlock("a", "file:///w/$(rm%20-r%20~)'x")}, `'/w/$(rm -r ~)'\''x'`, nil},
		{[]acp.ContentBlock{acp.ResourceLinkBlock("a", "https://example.com/?q=1&r=2")}, "'https://example.com/?q=1&r=2'", nil},
		{[]acp.ContentBlock{acp.TextBlock("\t\n")}, "", errEmpty},
		{nil, "", errEmpty},
		{[]acp.ContentBlock{acp.TextBlock("x"), acp.AudioBlock("", "audio/wav")}, "", errContent},
	} {
		if got, err := promptText(tt.blocks); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%+v: %q, %v, want %q, %v", tt.blocks, got, err, tt.want, tt.err)
		}
	}
}

func TestNothingEndsItsFence(t *testing.T) {
	for text, want := range map[string]string{
		"x":            "```\nx\n```\n",
		"x\n":          "```\nx\n```\n",
		"```\nx":       "````\n```\nx\n````\n",
		"`` ````` `\n": "``````\n`` ````` `\n``````\n",
	} {
		if got := block(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"x": "`x`", "a`b": "``a`b``", "`x": "`` `x ``"} {
		if got := inline(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTitle(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"command":"echo one\necho two"}`:               "`echo one\\necho two`",
		`{"command":"a\u202eb"}`:                         "`a\\u202eb`",
		`{"command":"` + strings.Repeat("y", 500) + `"}`: "`" + strings.Repeat("y", 120) + "… (characters left out: 380)`",
		`{"task_id":"3"}`:                                "bash `3`",
		`{"command":1}`:                                  "bash",
		`no JSON`:                                        "bash",
	} {
		if got := title("bash", []byte(arguments)); got != want {
			t.Errorf("%.50s: %q, want %q", arguments, got, want)
		}
	}
	if got := rawInput([]byte("no JSON")); got != "no JSON" {
		t.Errorf("%v", got)
	}
}

func TestOutputIsTheTailOfWhatCame(t *testing.T) {
	var o output
	if _, news := o.take(); news {
		t.Error("news of nothing")
	}
	o.observe(bash.Stdout, []byte("one\n"))
	o.observe(bash.Stderr, []byte("two\xff\n"))
	if got, news := o.take(); got != "one\ntwo\uFFFD\n" || !news {
		t.Errorf("%q, %v", got, news)
	}
	if _, news := o.take(); news {
		t.Error("the same news again")
	}
	for _, n := range []int{maxShown - 1, 3 * maxShown} {
		o.observe(bash.Stdout, []byte(strings.Repeat("y", n)+"\n"))
		if got, _ := o.take(); got != "…"+strings.Repeat("y", maxShown-1)+"\n" || len(o.tail) > maxShown {
			t.Errorf("%d bytes, %.20q", len(got), got)
		}
	}
}

func TestDecision(t *testing.T) {
	for _, tt := range []struct {
		outcome acp.RequestPermissionOutcome
		want    sandbox.Decision
	}{
		{acp.NewRequestPermissionOutcomeSelected("allow-once"), sandbox.DecisionAllowedOnce},
		{acp.NewRequestPermissionOutcomeSelected("reject"), sandbox.DecisionRejected},
		{acp.NewRequestPermissionOutcomeSelected("allow-always"), sandbox.DecisionUnavailable},
		{acp.NewRequestPermissionOutcomeSelected(""), sandbox.DecisionUnavailable},
		{acp.NewRequestPermissionOutcomeCancelled(), sandbox.DecisionCancelled},
		{acp.RequestPermissionOutcome{}, sandbox.DecisionUnavailable},
	} {
		got, err := decision(tt.outcome)
		if got != tt.want || (err != nil) != (tt.want == sandbox.DecisionUnavailable) {
			t.Errorf("%+v: %v, %v", tt.outcome, got, err)
		}
	}
}

func TestModelsThatCannotBeUsed(t *testing.T) {
	good := Model{Endpoint: "https://api.example.com/v1", Name: "m", Key: key}
	for _, tt := range []struct {
		change func(*Model)
		field  string
		err    error
	}{
		{func(*Model) {}, "", nil},
		{func(m *Model) { m.Key, m.Endpoint = "", "http://localhost:11434/v1/" }, "", nil},
		{func(m *Model) { m.Endpoint = "" }, "endpoint", ErrMissing},
		{func(m *Model) { m.Endpoint = "api.example.com/v1" }, "endpoint", ErrNotAddress},
		{func(m *Model) { m.Endpoint = "file:///v1" }, "endpoint", ErrNotAddress},
		{func(m *Model) { m.Endpoint = "https://me:" + key + "@example.com" }, "endpoint", ErrNotAddress},
		{func(m *Model) { m.Endpoint = "https://example.com/?key=" + key }, "endpoint", ErrNotAddress},
		{func(m *Model) { m.Endpoint = "https://example.com/\x00" + key }, "endpoint", ErrNotAddress},
		{func(m *Model) { m.Name = " " }, "model", ErrMissing},
		{func(m *Model) { m.Key = key + "\n" }, "key", ErrWhitespace},
	} {
		m := good
		tt.change(&m)
		err := m.validate()
		var wrong *ModelError
		if errors.As(err, &wrong) != (tt.err != nil) || !errors.Is(err, tt.err) || (wrong != nil && wrong.Field != tt.field) {
			t.Errorf("%+v: %v, want %s %v", m, err, tt.field, tt.err)
		}
		if err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("the key is told: %v", err)
		}
	}
}
