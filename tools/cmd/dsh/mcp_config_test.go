package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/treetest"
)

// configFile writes a configuration file where no command can write.
func configFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(treetest.OutsideTemp(t), "dsh.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestMCPOverAShellThatDoesNotConfine(t *testing.T) {
	file := configFile(t, `
- {id: shell, name: bash-local, config: {env: {FROM_FILE: a value}}}
- {id: policy, name: sandbox-policy, config: {mode: danger-full-access}}
`)
	c := startMCP(t, mcpOptions{args: []string{"--config", file}})
	c.wants(bashCall("echo $FROM_FILE"), "a value\n")
	outside := c.outside()
	c.wants(bashCall("echo x >> "+outside), "(no output)\n")
	if n := lines(t, outside); n != 1 {
		t.Errorf("%d lines were written", n)
	}
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := json.Marshal(tools.Tools)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(schema), "sandbox_permissions") {
		t.Error("a wider mode is offered, and there is none")
	}
	if err := c.Close(); err != nil { // and nobody writes to standard error any more
		t.Error(err)
	}
	if want := file + ":3 says mode: danger-full-access"; !strings.Contains(c.stderr.String(), want) {
		t.Errorf("standard error does not say %q: %s", want, c.stderr)
	}
}

func TestMCPTakesItsTimeoutsFromTheFile(t *testing.T) {
	file := configFile(t, "- {id: shell, name: bash-sandbox, config: {timeout: 300ms}}")
	c := startMCP(t, mcpOptions{args: []string{"--config", file, "--mode", "danger-full-access"}})
	got, _ := c.call(bashCall("sleep 60"))
	if !strings.Contains(got, "[timed out after 300ms]") {
		t.Errorf("%q", got)
	}
}
