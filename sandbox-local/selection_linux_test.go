package sandboxlocal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// stubbed puts a stub of bwrap in a directory that becomes the whole PATH, and
// returns its path. An empty script puts none there.
func stubbed(t *testing.T, p places, mode os.FileMode, script string) string {
	t.Helper()
	bin := filepath.Join(p.base, "bin")
	mkdir(t, bin)
	t.Setenv("PATH", bin)
	path := filepath.Join(bin, "bwrap")
	if script != "" {
		write(t, path, script)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func confineTrue(ctx context.Context, provider *Provider, workspace string, host sandbox.Host) (*sandbox.Confinement, error) {
	return provider.Confine(ctx, sandbox.Request{
		Argv: []string{"/bin/true"}, Dir: workspace, Host: host,
		Policy: sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: workspace},
	})
}

// working is a stub that passes for bwrap.
const working = "#!/bin/sh\n" + `while [ "$1" != -- ]; do [ "$1" = --json-status-fd ] && fd=$2; shift; done
echo '{"child-pid":1}{"exit-code":0}' >&$fd
`

func TestSelectionByWhatIsUsable(t *testing.T) {
	need(t, Landlock)
	tests := []struct {
		name   string
		mode   os.FileMode
		script string
		want   string // the reason against bwrap; empty: it is selected
	}{
		{"absent", 0, "", "not found on PATH"},
		{"working", 0o755, working, ""},
		{"mode bits lost", 0o644, working, "has no execute permission"},
		{"interpreter gone", 0o755, "#!/nowhere/sh\n", "cannot be executed"},
		{
			"kernel refuses", 0o755, "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n",
			"the read-only profile failed: exit status 1: bwrap: No permissions to create new namespace",
		},
		{"never runs the command", 0o755, "#!/bin/sh\nexit 0\n", "its status says: command not started"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlaces(t)
			stubbed(t, p, tt.mode, tt.script)
			got, err := confineTrue(t.Context(), new(Provider), p.workspace, able)
			if err != nil {
				t.Fatal(err)
			}
			want := Landlock
			if tt.want == "" {
				want = Bwrap
			}
			if got.Report.Runner != want {
				t.Errorf("%s was selected", got.Report.Runner)
			}
			if tt.want == "" {
				return
			}
			sole := &Provider{config: Config{Runners: []string{Bwrap, Seatbelt}}}
			_, err = confineTrue(t.Context(), sole, p.workspace, able)
			var unavailable *sandbox.UnavailableError
			if !asError(err, &unavailable) || len(unavailable.Reasons) != 2 || !strings.Contains(unavailable.Reasons[0].Reason, tt.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestSelectionFailsClosed(t *testing.T) {
	p := newPlaces(t)
	stubbed(t, p, 0, "")
	_, err := confineTrue(t.Context(), new(Provider), p.workspace, sandbox.Host{FirstFD: 3})
	if !errors.Is(err, sandbox.ErrUnavailable) || !errors.Is(err, errNotFound) {
		t.Errorf("%v", err)
	}
	for _, text := range []string{"workspace-write", "bwrap: not found on PATH", "landlock: ", "not run unconfined"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q lacks %q", err, text)
		}
	}
}

func TestSoleCandidateIsNotProbed(t *testing.T) {
	p := newPlaces(t)
	stubbed(t, p, 0o755, "#!/bin/sh\nexit 1\n")
	provider := &Provider{config: Config{Runners: []string{Bwrap}}}
	got, err := confineTrue(t.Context(), provider, p.workspace, able)
	if err != nil || got.Report.Runner != Bwrap {
		t.Errorf("%v, %v", got, err)
	}
}

func TestRunnerBeneathWritableRootIsRefused(t *testing.T) {
	need(t, Landlock)
	p := newPlaces(t)
	path := stubbed(t, p, 0o755, working)
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
		req := sandbox.Request{
			Argv: []string{"/bin/true"}, Dir: p.workspace, Host: able,
			Policy: sandbox.Policy{Mode: mode, WorkspaceRoot: p.base},
		}
		got, err := new(Provider).Confine(t.Context(), req)
		if err != nil || got.Report.Runner != Landlock {
			t.Errorf("%s: %v, %v", mode, got, err)
		}
		sole := &Provider{config: Config{Runners: []string{Bwrap}}}
		if _, err := sole.Confine(t.Context(), req); !errors.Is(err, sandbox.ErrUnavailable) || !errors.Is(err, errUntrusted) {
			t.Errorf("%s: %v", mode, err)
		}
		named := &Provider{config: Config{Runners: []string{path}}}
		if got, err := named.Confine(t.Context(), req); err != nil || got.Argv[0] != path {
			t.Errorf("%s, named by its path: %v, %v", mode, got, err)
		}
	}
}

func TestRunnerBehindLinkIsRefused(t *testing.T) {
	p := newPlaces(t)
	path := stubbed(t, p, 0o755, working)
	real := filepath.Join(p.workspace, "planted")
	if err := os.Rename(path, real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, path); err != nil {
		t.Fatal(err)
	}
	sole := &Provider{config: Config{Runners: []string{Bwrap}}}
	if _, err := confineTrue(t.Context(), sole, p.workspace, able); !errors.Is(err, errUntrusted) {
		t.Errorf("%v", err)
	}
}

// counting is a working stub that leaves a line per run.
func counting(log string) string {
	return strings.Replace(working, "\n", "\necho run >>'"+log+"'\n", 1)
}

func TestVerdictIsCachedUntilRefresh(t *testing.T) {
	p := newPlaces(t)
	log := filepath.Join(p.base, "log")
	stubbed(t, p, 0o755, counting(log))
	provider := new(Provider)
	confineMany := func() {
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if _, err := confineTrue(t.Context(), provider, p.workspace, able); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	for round := 1; round <= 2; round++ {
		confineMany()
		confineMany()
		if got, want := strings.Count(read(t, log), "run"), 2*round; got != want { // one per mode
			t.Errorf("round %d: %d probes, want %d", round, got, want)
		}
		provider.Refresh()
	}
}

func TestBadVerdictIsCachedUntilRefresh(t *testing.T) {
	need(t, Landlock)
	p := newPlaces(t)
	path := stubbed(t, p, 0o755, "#!/bin/sh\nexit 1\n")
	provider := new(Provider)
	for i, want := range []string{Landlock, Landlock, Bwrap} {
		if i == 1 {
			write(t, path, working)
		}
		if i == 2 {
			provider.Refresh()
		}
		if got, err := confineTrue(t.Context(), provider, p.workspace, able); err != nil || got.Report.Runner != want {
			t.Errorf("call %d: %v, %v", i, got, err)
		}
	}
}

// hanging is a stub that never answers and leaves a child that holds its
// descriptors.
const hanging = "#!/bin/sh\n/bin/sleep 61 &\nexec /bin/sleep 61\n"

func TestProbeTimeoutIsNoVerdict(t *testing.T) {
	need(t, Landlock)
	p := newPlaces(t)
	path := stubbed(t, p, 0o755, hanging)
	provider := &Provider{config: Config{ProbeTimeout: 200 * time.Millisecond}}
	started := time.Now()
	got, err := confineTrue(t.Context(), provider, p.workspace, able)
	if err != nil || got.Report.Runner != Landlock {
		t.Errorf("%v, %v", got, err)
	}
	if took := time.Since(started); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	write(t, path, working)
	if got, err := confineTrue(t.Context(), provider, p.workspace, able); err != nil || got.Report.Runner != Bwrap {
		t.Errorf("after the timeout: %v, %v", got, err)
	}
}

func TestCancelledProbeIsNoVerdict(t *testing.T) {
	p := newPlaces(t)
	path := stubbed(t, p, 0o755, hanging)
	provider := &Provider{config: Config{ProbeTimeout: time.Minute}}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := confineTrue(ctx, provider, p.workspace, able); !errors.Is(err, context.Canceled) || errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	write(t, path, working)
	if got, err := confineTrue(t.Context(), provider, p.workspace, able); err != nil || got.Report.Runner != Bwrap {
		t.Errorf("after the cancellation: %v, %v", got, err)
	}
}

func TestConfiguredRunner(t *testing.T) {
	p := newPlaces(t)
	provider, err := New(Config{RunnerCommand: []string{"/bin/sh", "-x"}, RunnerFailureSignatures: []string{"sh: "}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := confineTrue(t.Context(), provider, p.workspace, able)
	if err != nil {
		t.Fatal(err)
	}
	joined := strings.Join(got.Argv, " ")
	if !strings.HasPrefix(joined, "/bin/sh -x --new-session ") || !strings.HasSuffix(joined, " --chdir "+p.workspace+" -- /bin/true") {
		t.Errorf("argv %q", joined)
	}
	if got.Report.Runner != Custom || got.Report.Enforcement != sandbox.Full || got.Status != nil {
		t.Errorf("%+v", got)
	}
}

// recorder notes how a test would end.
type recorder struct {
	*testing.T
	failed, skipped bool
}

func (r *recorder) Fatalf(string, ...any) { r.failed = true }
func (r *recorder) Skipf(string, ...any)  { r.skipped = true }

// TestRequirementIsHonoured is the canary of the switch that turns a skip into
// a failure.
func TestRequirementIsHonoured(t *testing.T) {
	tests := []struct {
		list string
		fail bool
	}{{"", false}, {"bwrap", true}, {"landlock, bwrap", true}, {"landlock", false}, {"bwrapper", false}}
	for _, tt := range tests {
		t.Setenv(requirement, tt.list)
		r := &recorder{T: t}
		missing(r, Bwrap, errNotFound)
		if r.failed != tt.fail {
			t.Errorf("%s=%q: failed %v", requirement, tt.list, r.failed)
		}
	}
}
