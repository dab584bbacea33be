package main

import (
	"strings"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	"github.com/dsh-go/dsh/tools/internal/compose"
)

// TestDoctorOnSystemsWithoutRunner reads what doctor says where there is none.
func TestDoctorOnSystemsWithoutRunner(t *testing.T) {
	for system, want := range map[string]string{"windows": "WSL2", "freebsd": "Linux or macOS"} {
		found := host{system: system}.diagnose(t.Context(), compose.Composition{})
		var text, object strings.Builder
		if err := found.print(&text, false); err != nil {
			t.Fatal(err)
		}
		if err := found.print(&object, true); err != nil {
			t.Fatal(err)
		}
		if found.Selected != nil || !strings.HasPrefix(text.String(), system+" has neither a sandbox runner") || !strings.Contains(text.String(), want) {
			t.Errorf("%s: %s", system, text.String())
		}
		if !strings.Contains(object.String(), `"runners": []`) || !strings.Contains(object.String(), want) {
			t.Errorf("%s: %s", system, object.String())
		}
	}
}

func TestDoctorTriesWhatIsConfigured(t *testing.T) {
	linux := host{system: "linux", runners: []string{"bwrap", "landlock"}}
	for _, tt := range []struct {
		config sandboxlocal.Config
		want   string
	}{
		{sandboxlocal.Config{}, "bwrap landlock"},
		{sandboxlocal.Config{Runners: []string{"landlock"}}, "landlock"},
		{sandboxlocal.Config{Runners: []string{"/opt/bwrap", "custom"}, RunnerCommand: []string{"r"}}, "/opt/bwrap custom"},
		{sandboxlocal.Config{RunnerCommand: []string{"r"}}, "custom"},
	} {
		if got := strings.Join(linux.candidates(tt.config), " "); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.config, got, tt.want)
		}
	}
}

func TestEveryRunnerHasARemedy(t *testing.T) {
	for runner, want := range map[string]string{
		"/opt/bwrap":          "/opt/bwrap",
		sandboxlocal.Custom:   "runner-command",
		sandboxlocal.Seatbelt: "none of plan9",
	} {
		if got := (host{system: "plan9"}).remedy(runner); !strings.Contains(got, want) {
			t.Errorf("%s: %s", runner, got)
		}
	}
	for _, runner := range systemRunners {
		if got := thisHost.remedy(runner); got == "" || got != remedies[runner]() {
			t.Errorf("%s: %q", runner, got)
		}
	}
}

func TestDoctorSaysThatAFileConfinesNothing(t *testing.T) {
	c, err := compose.Parse("dsh.yaml", []byte("- id: policy\n  name: sandbox-policy\n  config: {mode: danger-full-access}\n"))
	if err != nil || c.Mode() != sandbox.DangerFullAccess {
		t.Fatal(err)
	}
	line, runner := unconfinedBy(c), "bwrap"
	var text strings.Builder
	if err := (diagnosis{Selected: &runner, Unconfined: &line}).print(&text, false); err != nil {
		t.Fatal(err)
	}
	if want := "\ndsh run uses none: dsh.yaml:3 says danger-full-access.\n"; text.String() != want {
		t.Errorf("%q", text.String())
	}
}
