package bwrapprovider

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { sandboxtest.Main(m) }

func TestBwrap(t *testing.T) {
	switch {
	case runtime.GOOS != "linux":
		t.Skip("needs Linux")
	case os.Geteuid() == 0:
		t.Skip("needs an ordinary user")
	}
	probe := exec.Command("bwrap", "--ro-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "true")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("bwrap is not usable here: %v\n%s", err, out)
	}
	sandboxtest.Run(t, Provider{}, sandboxtest.Options{})
}

// Root is refused, and not run unconfined.
func TestRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	_, err := Provider{}.Confine(t.Context(), sandbox.Request{
		Argv: []string{"/bin/true"}, Dir: "/", Policy: sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: "/"},
	})
	if !errors.Is(err, sandbox.ErrUnavailable) || !errors.Is(err, errRoot) {
		t.Error(err)
	}
}

// The guide shows this file.
func TestGuide(t *testing.T) {
	source, err := os.ReadFile("provider.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"writing-a-provider.md", "writing-a-provider.zh.md"} {
		page, err := os.ReadFile("../../../docs/" + name)
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("outside a checkout there are no documents")
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "\n```go\n"+string(source)+"```\n") {
			t.Errorf("docs/%s does not show provider.go as it is", name)
		}
	}
}
