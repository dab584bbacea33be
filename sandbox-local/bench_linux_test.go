package sandboxlocal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

// BenchmarkConfine is what deciding about one command costs, without starting
// it.
func BenchmarkConfine(b *testing.B) {
	workspace, err := sandbox.Canonical(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	dir := filepath.Join(workspace, "sub")
	if err := os.Mkdir(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	for _, runner := range []string{Bwrap, Landlock} {
		for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
			b.Run(runner+"/"+string(mode), func(b *testing.B) {
				provider := &Provider{config: Config{Runners: []string{runner}}}
				req := sandbox.Request{
					Argv: []string{"/bin/true"}, Dir: dir, Host: able,
					Env:    map[string]string{"NO_COLOR": "1", "TERM": "dumb"},
					Policy: sandbox.Policy{Mode: mode, WorkspaceRoot: workspace},
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := provider.Confine(b.Context(), req); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
