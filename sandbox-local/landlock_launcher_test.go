package sandboxlocal

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/landlock"
	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
)

func TestLauncherStart(t *testing.T) {
	tests := []struct {
		report string
		want   sandbox.StartState
	}{
		{"", sandbox.StartUnknown},
		{"exec", sandbox.StartUnknown},
		{"exec\n", sandbox.CommandStarted},
		{"failed: no\n", sandbox.CommandNotStarted},
		{"exec\nfailed: no such file\n", sandbox.CommandNotStarted},
		{"exec\nfail", sandbox.CommandStarted},
		{"executed\n", sandbox.StartUnknown},
	}
	for _, tt := range tests {
		if got := launcherStart([]byte(tt.report)); got != tt.want {
			t.Errorf("%q: %v", tt.report, got)
		}
	}
}

func TestLauncherArgv(t *testing.T) {
	workspace, err := sandbox.Canonical(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &landlockLauncher{program: program{path: "/opt/landlock-run"}, kernel: landlock.Kernel{ABI: 7}}
	env := map[string]string{"LD_PRELOAD": "/x", "A": "1"}
	tests := []struct {
		name string
		mode sandbox.Mode
		host sandbox.Host
		path string
		want []string
	}{
		{
			"read-only", sandbox.ReadOnly,
			sandbox.Host{FirstFD: 5},
			"/opt/landlock-run",
			[]string{"/opt/landlock-run", "--rw", "/dev/null", "--read-only", "--setenv", "LD_PRELOAD", "/x", "--status-fd", "5", "--", "/bin/bash", "-c", "true"},
		},
		{
			"workspace-write, no descriptors", sandbox.WorkspaceWrite,
			sandbox.Host{},
			"/opt/landlock-run",
			[]string{"/opt/landlock-run", "--rw", "/dev/null", "--rw", workspace, "--rw", "/tmp", "--setenv", "LD_PRELOAD", "/x", "--", "/bin/bash", "-c", "true"},
		},
		{
			"its own launcher", sandbox.ReadOnly,
			sandbox.Host{},
			landlockrun.Self,
			[]string{landlockrun.Self, landlockrun.SelfArg, "--rw", "/dev/null", "--read-only", "--setenv", "LD_PRELOAD", "/x", "--", "/bin/bash", "-c", "true"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := aCall(tt.mode, tt.host, env)
			c.Policy.WorkspaceRoot, c.workspace = workspace, workspace
			l.path = tt.path
			got, err := l.confine(c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Argv); diff != "" {
				t.Errorf("argv (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]string{"A": "1"}, got.Env); diff != "" {
				t.Errorf("env (-want +got):\n%s", diff)
			}
			if err := got.Check(tt.host); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLandlockGaps(t *testing.T) {
	ownFiles := []sandbox.Effect{sandbox.EffectMode, sandbox.EffectTimes, sandbox.EffectXattr, sandbox.EffectInodeFlags}
	times := []sandbox.Effect{sandbox.EffectTimes}
	ordinary, root := landlockCaller{}, landlockCaller{root: true, owners: true}
	tests := []struct {
		name     string
		abi      int
		who      landlockCaller
		filtered bool
		want     map[sandbox.Place][]sandbox.Effect
	}{
		{"read-only, new", 7, root, true, nil},
		{
			"read-only, before device control", 4, root, true,
			map[sandbox.Place][]sandbox.Effect{sandbox.PlaceDev: {sandbox.EffectDeviceControl}},
		},
		{
			"read-only, before truncation", 2, ordinary, true,
			map[sandbox.Place][]sandbox.Effect{sandbox.PlaceDev: {sandbox.EffectDeviceControl}},
		},
		{"workspace-write, ordinary", 7, ordinary, false, map[sandbox.Place][]sandbox.Effect{
			sandbox.PlaceOutside: ownFiles, sandbox.PlaceDev: ownFiles, sandbox.PlaceProc: times,
		}},
		{"workspace-write, ordinary, before truncation", 2, ordinary, false, map[sandbox.Place][]sandbox.Effect{
			sandbox.PlaceOutside: append(slices.Clone(ownFiles), sandbox.EffectTruncate),
			sandbox.PlaceDev:     append(slices.Clone(ownFiles), sandbox.EffectTruncate, sandbox.EffectDeviceControl),
			sandbox.PlaceProc:    times,
		}},
		{"workspace-write, root", 7, root, false, map[sandbox.Place][]sandbox.Effect{
			sandbox.PlaceOutside: append(slices.Clone(ownFiles), sandbox.EffectOwner),
			sandbox.PlaceDev:     append(slices.Clone(ownFiles), sandbox.EffectOwner),
			sandbox.PlaceProc:    {sandbox.EffectTimes, sandbox.EffectMode, sandbox.EffectOwner},
		}},
	}
	for _, tt := range tests {
		var got map[sandbox.Place][]sandbox.Effect
		for _, gap := range landlockGaps(landlock.Kernel{ABI: tt.abi}, tt.who, tt.filtered) {
			if got == nil {
				got = make(map[sandbox.Place][]sandbox.Effect)
			}
			got[gap.Place] = append(got[gap.Place], gap.Effect)
			if gap.Reason == "" {
				t.Errorf("%s: no reason", tt.name)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
