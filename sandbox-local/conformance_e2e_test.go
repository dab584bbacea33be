//go:build linux

package sandboxlocal

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/lockdown"
	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
	"github.com/dsh-go/dsh/sandbox/sandboxtest"
)

// The probe of the conformance suite is this test binary.
func init() { sandboxtest.ServeProbe() }

// conformant is one way to confine, as the suite starts it.
type conformant struct {
	name    string
	config  Config
	options sandboxtest.Options
}

// conformants are every way to confine that commands meet.
var conformants = []conformant{
	{"bwrap", Config{Runners: []string{Bwrap}}, sandboxtest.Options{}},
	{
		"landlock",
		Config{Runners: []string{Landlock}},
		sandboxtest.Options{Host: sandbox.Host{FirstFD: 3, OnThread: true}, Start: startOnThread},
	},
	{"launcher", Config{Runners: []string{Landlock}, LandlockLauncher: landlockrun.Self}, sandboxtest.Options{}},
	{"bwrap without descriptors", Config{Runners: []string{Bwrap}}, sandboxtest.Options{Start: sandboxtest.Exec}}, // with the gap that this leaves
}

// startOnThread confines a thread of its own where the confinement asks for
// that.
func startOnThread(ctx context.Context, l sandboxtest.Launch) (ended sandboxtest.Ended, err error) {
	err = lockdown.OnThread(func() error {
		if l.OnThread != nil {
			if err := l.OnThread.Restrict(); err != nil {
				return err
			}
		}
		ended, err = sandboxtest.Exec(ctx, l)
		return err
	})
	return ended, err
}

func (c conformant) run(t *testing.T) *sandboxtest.Table {
	t.Helper()
	return sandboxtest.Run(t, needConfigured(t, c.config.Runners[0], c.config), c.options)
}

func TestE2EConformance(t *testing.T) {
	skipShort(t)
	for _, c := range conformants {
		t.Run(c.name, func(t *testing.T) { measured.keep(c.name, c.run(t)) })
	}
	if *conformanceJSON != "" {
		writeJSON(t, *conformanceJSON, documented(t))
	}
}

// skipShort leaves out what takes long because it starts hundreds of sandboxes
// of its own, about whose insides the test process learns nothing more.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("tries every effect at every place")
	}
}

// weakened is bwrap with some of its options replaced.
type weakened struct {
	sandbox.Provider
	edits []edit
}

type edit struct{ from, to []string }

func (w weakened) Confine(ctx context.Context, req sandbox.Request) (*sandbox.Confinement, error) {
	c, err := w.Provider.Confine(ctx, req)
	if err != nil {
		return nil, err
	}
	for _, e := range w.edits {
		for at := range c.Argv {
			if end := at + len(e.from); end <= len(c.Argv) && slices.Equal(c.Argv[at:end], e.from) {
				c.Argv = slices.Replace(slices.Clone(c.Argv), at, end, e.to...)
				break
			}
		}
	}
	return c, nil
}

// TestE2EConformanceFindsAWeakBwrap takes away what each hardening is for. An
// ordinary user has nothing to lose but the read-only tree.
func TestE2EConformanceFindsAWeakBwrap(t *testing.T) {
	skipShort(t)
	weak := weakened{need(t, Bwrap), []edit{{[]string{"--ro-bind"}, []string{"--bind"}}}}
	want := []sandbox.Effect{sandbox.EffectCreate, sandbox.EffectMode, sandbox.EffectIOUring}
	if os.Geteuid() == 0 {
		weak.edits = []edit{{[]string{"--cap-drop", "ALL"}, nil}, {[]string{"--remount-ro", "/proc"}, nil}, {[]string{"--unshare-pid"}, nil}}
		want = []sandbox.Effect{sandbox.EffectRemount, sandbox.EffectKernelSetting, sandbox.EffectOpenByHandle, sandbox.EffectProcLink}
	}
	table, err := sandboxtest.Measure(t.Context(), weak, sandboxtest.Options{Modes: []sandbox.Mode{sandbox.WorkspaceWrite}})
	if err != nil {
		t.Fatal(err)
	}
	for _, effect := range want {
		if !slices.ContainsFunc(table.Violations, func(v sandboxtest.Violation) bool {
			return v.Effect == effect && v.Kind == sandboxtest.UndeclaredGap
		}) {
			t.Errorf("%s was not found out", effect)
		}
	}
}
