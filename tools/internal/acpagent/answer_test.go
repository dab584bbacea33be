package acpagent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"
)

// TestCallsArePutTogether has the endpoints' ways of cutting calls up.
func TestCallsArePutTogether(t *testing.T) {
	for name, tt := range map[string]struct{ pieces, want string }{
		"numbered": {
			`[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"x\""}},{"index":0,"function":{"arguments":":1}"}}]`,
			`a bash {"x":1}`,
		},
		"numbered and mixed": {
			`[{"index":1,"id":"b","function":{"name":"two"}},{"index":0,"id":"a","function":{"name":"one"}},{"index":1,"function":{"arguments":"{}"}}]`,
			`b two {}|a one {}`,
		},
		"the identifier each time": {
			`[{"index":0,"id":"a","function":{"name":"one","arguments":"{"}},{"index":0,"id":"a","function":{"name":"one","arguments":"}"}}]`,
			`a one {}`,
		},
		"not numbered": {
			`[{"id":"a","function":{"name":"one","arguments":"{"}},{"function":{"arguments":"}"}},{"id":"b","function":{"name":"two","arguments":"{}"}}]`,
			`a one {}|b two {}`,
		},
		"without an identifier": {
			`[{"index":0,"function":{"name":"one","arguments":"{}"}},{"index":1,"function":{"name":"two","arguments":"{}"}}]`,
			`own-1 one {}|own-2 two {}`,
		},
		"far numbers": {`[{"index":999999999,"id":"a","function":{"name":"one"}}]`, `a one {}`},
	} {
		var pieces []openai.ToolCall
		if err := json.Unmarshal([]byte(tt.pieces), &pieces); err != nil {
			t.Fatal(err)
		}
		var a answer
		for _, piece := range pieces {
			a.addCall(piece)
		}
		own := 0
		calls, raw := a.called(func() string { own++; return fmt.Sprintf("own-%d", own) })
		var got []string
		for i, call := range calls {
			if call.Index != nil || call.Type != openai.ToolTypeFunction || string(raw[i]) != call.Function.Arguments {
				t.Errorf("%s: %+v, %s", name, call, raw[i])
			}
			got = append(got, call.ID+" "+call.Function.Name+" "+call.Function.Arguments)
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
