//go:build linux

package sandboxlocal

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/lockdown"
	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
	"github.com/dsh-go/dsh/sandbox/sandboxtest"
)

// The tables of a document are brought up to date by a run as root of
//
//	go test -run TestConformanceTables -conformance-table FILE[,FILE]
//
// which measures both runners as root and as an ordinary user.
var conformanceTable = flag.String("conformance-table", "", "documents whose conformance tables to update, separated by commas")

// conformanceJSON is where a run as another user puts what it measured.
var conformanceJSON = flag.String("conformance-json", "", "file to which to write the tables of this user")

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
		t.Run(c.name, func(t *testing.T) { c.run(t) })
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

func TestConformanceTables(t *testing.T) {
	if *conformanceTable == "" && *conformanceJSON == "" {
		t.Skip("writes documents when asked to")
	}
	var tables []*sandboxtest.Table
	for _, c := range conformants[:2] {
		tables = append(tables, c.run(t))
	}
	if *conformanceJSON != "" {
		data, err := json.Marshal(tables)
		if err != nil {
			t.Fatal(err)
		}
		write(t, *conformanceJSON, string(data))
		return
	}
	tables = append(tables, tablesOfOrdinaryUser(t)...)
	for _, path := range strings.Split(*conformanceTable, ",") {
		updated, err := sandboxtest.Update(read(t, path), tables...)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		write(t, path, updated)
	}
}

// tablesOfOrdinaryUser has this test binary measure as somebody else.
func tablesOfOrdinaryUser(t *testing.T) (tables []*sandboxtest.Table) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("only root can measure as root and as an ordinary user")
	}
	home, err := os.MkdirTemp("/var/tmp", "dsh-home-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if err := os.Chown(home, ordinaryUser, ordinaryUser); err != nil {
		t.Fatal(err)
	}
	binary, measured := filepath.Join(home, "test"), filepath.Join(home, "tables.json")
	copyProgram(t, binary)
	cmd := exec.CommandContext(t.Context(), binary, "-test.run=^TestConformanceTables$", "-conformance-json="+measured)
	cmd.Dir, cmd.Env = home, append(os.Environ(), "HOME="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinaryUser, Gid: ordinaryUser}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("as user %d: %v\n%s", ordinaryUser, err, out)
	}
	if err := json.Unmarshal([]byte(read(t, measured)), &tables); err != nil {
		t.Fatal(err)
	}
	return tables
}
