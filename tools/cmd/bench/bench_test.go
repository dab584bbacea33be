//go:build linux || darwin

package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
	"github.com/dsh-go/dsh/tools/internal/benchtable"
	"github.com/dsh-go/dsh/tools/internal/gotool"
)

// tiny measures hardly anything, but everything.
var tiny = scale{
	quick:      true,
	starts:     benchtable.Plan{Rounds: 1, Runs: 2},
	bulk:       benchtable.Plan{Rounds: 1, Runs: 1},
	calls:      benchtable.Plan{Rounds: 1, Runs: 2},
	bytes:      1 << 20,
	spillBytes: 1 << 20,
	processes:  3,
	grace:      10 * time.Millisecond,
}

// TestMain lets the test binary be the launcher, so that the tests need no go
// command.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "landlock-run" {
		os.Exit(landlockrun.Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// standIns returns a directory with the launcher and with something that runs
// as long as dsh does: not at all.
func standIns(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "landlock-run"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "dsh"), []byte("#!/bin/sh\n"), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// elsewhere has bench work outside the temporary area, where it would refuse
// to, and checks that it leaves nothing behind.
func elsewhere(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "dsh-bench-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		os.RemoveAll(dir)
	})
	t.Setenv("XDG_CACHE_HOME", dir)
	if runtime.GOOS == "darwin" {
		t.Setenv("HOME", dir)
	}
}

func TestEverythingIsMeasured(t *testing.T) {
	elsewhere(t)
	peer, err := parsePeer("a peer=env -u NOTHING")
	if err != nil {
		t.Fatal(err)
	}
	report, err := measure(t.Context(), options{scale: tiny, bin: standIns(t), peers: []peerProgram{peer}}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range report.Rows {
		if row.Skipped != "" {
			t.Logf("%s: skipped: %s", row.Name, row.Skipped)
		} else if row.Value.Value == 0 && row.Value.Unit == benchtable.Seconds {
			t.Errorf("%s took no time", row.Name)
		}
	}
	for _, want := range []string{bareName, "bash-local", "a peer", nowhereName, pollName} {
		if !slices.ContainsFunc(report.Rows, func(row benchtable.Row) bool { return strings.HasPrefix(row.Name, want) }) {
			t.Errorf("no row %q", want)
		}
	}
}

func TestTheProgramsAreBuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("building takes long where nothing is cached")
	}
	env, err := gotool.Env(t.Context(), "GOMODCACHE")
	if err != nil {
		t.Skip("the go command is needed:", err)
	}
	if _, err := os.Stat(env["GOMODCACHE"]); err != nil {
		t.Skip("the modules that dsh needs are not here:", err)
	}
	built, err := buildTools(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{built.dsh, built.launcher} {
		if info, err := os.Stat(path); err != nil || info.Mode()&0o100 == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestJSON(t *testing.T) {
	elsewhere(t)
	var stdout, stderr strings.Builder
	if code := run(t.Context(), []string{"-json", "-quick", "-only", "polling", "-bin", "."}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	var got report
	if err := json.Unmarshal([]byte(stdout.String()), &got); err != nil {
		t.Fatal(err)
	}
	if !got.Quick || got.Machine.CPUs == 0 || len(got.Rows) != 2 || got.Rows[0].Name != pollName || got.Rows[0].Allocations == nil {
		t.Errorf("%+v", got)
	}
}

func TestTheTableSaysThatItIsQuick(t *testing.T) {
	var full, quick strings.Builder
	if err := (report{}).write(&full, false); err != nil {
		t.Fatal(err)
	}
	if err := (report{Quick: true}).write(&quick, false); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(full.String(), "QUICK") || !strings.Contains(quick.String(), "QUICK") {
		t.Errorf("full: %s\nquick: %s", full.String(), quick.String())
	}
}

func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-only", "nonsense"},
		{"-peer", "name"},
		{"-peer", "=true"},
		{"-peer", "name="},
		{"-peer", "name=/no/such/program"},
		{"stray"},
		{"-nonsense"},
	} {
		var stderr strings.Builder
		if code := run(t.Context(), args, io.Discard, &stderr); code != 2 || stderr.String() == "" {
			t.Errorf("%q: exit code %d, %q", args, code, stderr.String())
		}
	}
	if code := run(t.Context(), []string{"-h"}, io.Discard, io.Discard); code != 0 {
		t.Errorf("-h: exit code %d", code)
	}
}

// A command that may write to all of the temporary area proves nothing there.
func TestTheTemporaryAreaIsRefused(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	if _, err := newScene(context.Background(), options{scale: tiny, bin: "."}); err == nil || !strings.Contains(err.Error(), "temporary area") {
		t.Errorf("error %v", err)
	}
}
