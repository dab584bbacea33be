package cli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/compose"
	"github.com/dsh-go/dsh/tools/internal/treetest"
)

// partsOf returns the parts of a command line, with a configuration directory
// that is empty and lies in home.
func partsOf(t *testing.T, home string, flags *Confinement, args ...string) (*Parts, error) {
	t.Helper()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	cmd := &cobra.Command{Use: "test"}
	flags.Register(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	return flags.Parts(OwnStreams())
}

// privateDirs are two canonical directories that are not in the temporary area.
func privateDirs(t *testing.T) (home, project string) {
	t.Helper()
	dir := treetest.OutsideTemp(t)
	home, project = filepath.Join(dir, "home"), filepath.Join(dir, "home", "project")
	if err := os.MkdirAll(project, 0o700); err != nil {
		t.Fatal(err)
	}
	return home, project
}

func isExposed(err error) bool {
	var exposed *compose.ExposedError
	return errors.As(err, &exposed)
}

// TestPoliciesThatExposeTheFileAreRefused asks for the mode by a flag, for a
// session and for a call.
func TestPoliciesThatExposeTheFileAreRefused(t *testing.T) {
	home, project := privateDirs(t)
	if _, err := partsOf(t, home, &Confinement{}, "--mode", "workspace-write", "--workspace", home); !isExposed(err) {
		t.Errorf("by default: %v", err)
	}
	parts, err := partsOf(t, home, &Confinement{}, "--workspace", home)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		req     sandbox.PolicyRequest
		exposed bool
	}{
		{"the default", sandbox.PolicyRequest{}, false},
		{"an approved mode", sandbox.PolicyRequest{Mode: sandbox.WorkspaceWrite}, true},
		{"an approved mode in a session elsewhere", sandbox.PolicyRequest{Mode: sandbox.WorkspaceWrite, SessionID: "a", Dir: project}, false},
		{"an approved mode in a session", sandbox.PolicyRequest{Mode: sandbox.WorkspaceWrite, SessionID: "b", Dir: home}, true},
		{"full access", sandbox.PolicyRequest{Mode: sandbox.DangerFullAccess}, false},
	} {
		if _, err := parts.Policies.Resolve(tt.req); isExposed(err) != tt.exposed || (err != nil) != tt.exposed {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// A root that no session has is not looked at: an editor starts its agent
// anywhere.
func TestTheDefaultRootMattersOnlyIfASessionCanHaveIt(t *testing.T) {
	home, project := privateDirs(t)
	t.Chdir(home)
	if _, err := partsOf(t, home, &Confinement{}, "--mode", "workspace-write"); !isExposed(err) {
		t.Errorf("the working directory is the root: %v", err)
	}
	parts, err := partsOf(t, home, &Confinement{SessionRoots: true}, "--mode", "workspace-write")
	if err != nil {
		t.Fatal(err)
	}
	if parts.FixedRoot() != "" {
		t.Errorf("a root that nobody named: %q", parts.FixedRoot())
	}
	if _, err := parts.Policies.Resolve(sandbox.PolicyRequest{SessionID: "a", Dir: home}); !isExposed(err) {
		t.Errorf("a session's root: %v", err)
	}
	if _, err := parts.Policies.Resolve(sandbox.PolicyRequest{SessionID: "b", Dir: project}); err != nil {
		t.Errorf("a session elsewhere: %v", err)
	}
	if _, err := partsOf(t, home, &Confinement{SessionRoots: true}, "--mode", "workspace-write", "--workspace", home); !isExposed(err) {
		t.Errorf("the root of every session: %v", err)
	}
}

func TestWithoutFileNothingIsExposed(t *testing.T) {
	home, _ := privateDirs(t)
	parts, err := partsOf(t, home, &Confinement{}, "--no-config", "--mode", "workspace-write", "--workspace", home)
	if err != nil {
		t.Fatal(err)
	}
	if parts.FixedRoot() != home {
		t.Errorf("the root is %q", parts.FixedRoot())
	}
}

// A command that replaced the program would confine the next one.
func TestAProgramThatCommandsCouldReplaceIsRefused(t *testing.T) {
	home, project := privateDirs(t)
	runner := filepath.Join(project, "runner")
	if err := os.WriteFile(runner, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(home, "custom.yaml")
	text := "- id: sandbox\n  name: sandbox-local\n  config: {runner-command: [" + runner + "], runner-failure-signatures: [\"runner: \"]}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--config", config, "--mode", "workspace-write", "--workspace"}
	var exposed *compose.ExposedError
	if _, err := partsOf(t, home, &Confinement{}, append(args, project)...); !errors.As(err, &exposed) || !exposed.Program || exposed.File != runner {
		t.Errorf("beneath the workspace: %v", err)
	}
	elsewhere := filepath.Join(filepath.Dir(project), "elsewhere")
	if err := os.Mkdir(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := partsOf(t, home, &Confinement{}, append(args, elsewhere)...); err != nil {
		t.Errorf("elsewhere: %v", err)
	}
}

// It would be as if nobody had named one, neither in the flag nor in the file.
func TestAnEmptyWorkspaceIsNone(t *testing.T) {
	home, _ := privateDirs(t)
	for _, sessions := range []bool{false, true} {
		_, err := partsOf(t, home, &Confinement{SessionRoots: sessions}, "--workspace", "")
		var flag *FlagError
		if !errors.As(err, &flag) || flag.Flag != "workspace" {
			t.Errorf("%v", err)
		}
	}
}
