package acpagent

import (
	"io"
	"strings"
	"testing"

	bashlocal "github.com/dsh-go/dsh/bash-local"
	"github.com/dsh-go/dsh/sandbox"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
)

// TestAClientThatReadsNoMoreHasDisconnected has one that keeps the other
// direction open.
func TestAClientThatReadsNoMoreHasDisconnected(t *testing.T) {
	policies, err := sandboxpolicy.New(sandboxpolicy.Config{Mode: sandbox.DangerFullAccess, WorkspaceRoot: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	executor, err := bashlocal.New(bashlocal.Config{}, &subprocesslocal.Service{})
	if err != nil {
		t.Fatal(err)
	}
	agent, err := New(Config{Executor: executor, Policies: policies})
	if err != nil {
		t.Fatal(err)
	}
	in, client := io.Pipe()
	defer client.Close()
	unread, out := io.Pipe()
	_ = unread.Close()
	ended := make(chan error, 1)
	go func() { ended <- agent.Run(t.Context(), in, out) }()
	request := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n"
	if _, err := io.Copy(client, strings.NewReader(request)); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
