package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/tools/internal/acpagent/acptest"
	"github.com/dsh-go/dsh/tools/internal/treetest"
)

// endpoint is a model that calls bash with a command, and then says what it was
// told of it.
type endpoint struct {
	*httptest.Server
	call string // the arguments

	mu   sync.Mutex
	keys []string // that came with the requests
	told []string // the requests
}

func newEndpoint(t *testing.T, call string) *endpoint {
	e := &endpoint{call: call}
	e.Server = httptest.NewServer(http.HandlerFunc(e.answer))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) answer(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keys = append(e.keys, req.Header.Get("Authorization"))
	e.told = append(e.told, string(body))
	delta := `{"content":"That is all."}`
	if len(e.told) == 1 {
		delta = fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"one","type":"function","function":{"name":"bash","arguments":%q}}]}`, e.call)
	}
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":%s,\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", delta)
}

// configure writes a composition with the model and returns its flags.
func (e *endpoint) configure(t *testing.T, option string) []string {
	t.Helper()
	file := filepath.Join(treetest.OutsideTemp(t), "dsh.yaml") // where commands cannot write
	text := fmt.Sprintf("- id: agent\n  name: tools\n  config:\n    endpoint: %s/v1\n    model: tester\n    %s\n", e.URL, option)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--config", file}
}

func TestACPWithAModelFromTheConfiguration(t *testing.T) {
	const key = "sk-of-the-test"
	t.Setenv("TEST_MODEL_KEY", key)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	onRunners(t, func(t *testing.T, args ...string) {
		// A variable that holds the key is not the commands'; another one is.
		for option, visible := range map[string]string{"key-env: TEST_MODEL_KEY": "", "key-file: " + file: key} {
			e := newEndpoint(t, `{"command":"echo [$TEST_MODEL_KEY]; echo x >> made","description":"d",`+
				`"sandbox_permissions":"workspace-write","justification":"the user wants it"}`)
			c := startACP(t, acptest.Choose("allow-once"), append(e.configure(t, option), args...)...)
			if got := c.Say("make it"); got != acp.StopReasonEndTurn || c.Message() != "That is all." {
				t.Fatalf("%s, %q; %s", got, c.Message(), c.stderr)
			}
			if n := lines(t, c.workspace+"/made"); n != 1 || len(c.Asked()) != 1 {
				t.Errorf("ran %d times, asked %d times", n, len(c.Asked()))
			}
			e.mu.Lock()
			defer e.mu.Unlock()
			if len(e.keys) != 2 || e.keys[1] != "Bearer "+key {
				t.Errorf("keys %q", e.keys)
			}
			if told := strings.Join(e.told, ""); !strings.Contains(told, "Sandbox mode: read-only.") ||
				!strings.Contains(told, `"content":"[`+visible+`]\n"`) {
				t.Errorf("%s: the model is told %s", option, told)
			}
		}
	})
}
