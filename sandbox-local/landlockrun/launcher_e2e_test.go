//go:build linux

package landlockrun

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/sandbox-local/internal/landlock"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == SelfArg {
		os.Exit(Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// needLandlock ends the test where the kernel has none.
func needLandlock(t *testing.T) landlock.Kernel {
	t.Helper()
	kernel, err := landlock.Detect()
	if err == nil {
		return kernel
	}
	if slices.Contains(strings.Split(os.Getenv("DSH_REQUIRE"), ","), "landlock") {
		t.Fatal(err)
	}
	t.Skip(err)
	return kernel
}

type ended struct {
	code                   int
	stdout, stderr, report string
}

// start runs this test binary as the launcher, with a status descriptor 3.
func start(t *testing.T, env []string, args ...string) ended {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), Self, append([]string{SelfArg}, args...)...)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = &stdout, &stderr, []*os.File{writer}
	cmd.Env = append(os.Environ(), env...)
	err = cmd.Run()
	writer.Close()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	report, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return ended{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), string(report)}
}

func TestLauncherRunsTheCommand(t *testing.T) {
	kernel := needLandlock(t)
	notice := ""
	if partial(kernel) {
		notice = PartialNotice + "\n"
	}
	for _, code := range []string{"0", "1", "125"} {
		got := start(t, nil, "--status-fd", "3", "--", "/bin/sh", "-c", `echo out; echo err >&2; exit "$0"`, code)
		want := ended{stdout: "out\n", stderr: notice + "err\n", report: "exec\n"}
		want.code = map[string]int{"0": 0, "1": 1, "125": 125}[code]
		if got != want {
			t.Errorf("exit %s: %+v", code, got)
		}
	}
}

func TestLauncherFailures(t *testing.T) {
	needLandlock(t)
	notExecutable := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(notExecutable, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	garbage := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(garbage, []byte("\x7fELF"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		args   []string
		report string
	}{
		{"no command", []string{"--status-fd", "3"}, "failed: "},
		{"unknown option", []string{"--status-fd", "3", "--nope", "--", "true"}, "failed: "},
		{"missing grant", []string{"--status-fd", "3", "--rw", "/nowhere\nat all", "--", "true"}, "failed: "},
		{"no such program", []string{"--status-fd", "3", "--", "/nowhere"}, "failed: "},
		{"not executable", []string{"--status-fd", "3", "--", notExecutable}, "failed: "},
		{"not a program", []string{"--status-fd", "3", "--", garbage}, "exec\nfailed: "},
		{"no status descriptor", []string{"--status-fd", "77", "--", "true"}, ""},
		{"no report asked for", []string{"--", "/nowhere"}, ""},
	}
	for _, tt := range tests {
		got := start(t, nil, tt.args...)
		if got.code != ExitFailure || got.stdout != "" || !strings.HasPrefix(got.report, tt.report) {
			t.Errorf("%s: %+v", tt.name, got)
		}
		// A kernel that does not govern every effect is announced first.
		got.stderr = strings.TrimPrefix(got.stderr, PartialNotice+"\n")
		if lines := strings.Count(got.stderr, "\n"); !strings.HasPrefix(got.stderr, Prefix) || lines != 1 {
			t.Errorf("%s: %q", tt.name, got.stderr)
		}
	}
}

func TestLauncherSetsVariablesInside(t *testing.T) {
	needLandlock(t)
	got := start(t, []string{"A=outer", "PATH=/nowhere"},
		"--setenv", "A", "inner\n\xff", "--setenv", "PATH", "/usr/bin:/bin", "--", "sh", "-c", `printf %s "$A"`)
	if got.code != 0 || got.stdout != "inner\n\xff" {
		t.Errorf("%+v", got)
	}
}

func TestLauncherGrants(t *testing.T) {
	needLandlock(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		options []string
		script  string
		ok      bool
	}{
		{"nothing writable", nil, `echo x >"$0/file"`, false},
		{"a directory", []string{"--rw", dir}, `echo x >"$0/new" && mkdir "$0/d" && chmod 700 "$0/d"`, true},
		{"a file", []string{"--rw", file}, `echo x >"$0/file"`, true},
		{"a file, not its siblings", []string{"--rw", file}, `echo x >"$0/other"`, false},
		{"reading is free", nil, `cat "$0/file"`, true},
		{"reading is granted", []string{"--ro", "/usr", "--ro", "/bin", "--ro", "/lib", "--ro", dir}, `cat "$0/file"`, true},
		{"reading is not granted", []string{"--ro", "/usr", "--ro", "/bin", "--ro", "/lib"}, `cat "$0/file"`, false},
		{"read-only refuses chmod", []string{"--rw", dir, "--read-only"}, `chmod 600 "$0/file"`, false},
	}
	for _, tt := range tests {
		got := start(t, nil, append(tt.options, "--", "/bin/sh", "-c", tt.script, dir)...)
		if (got.code == 0) != tt.ok {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func TestProbe(t *testing.T) {
	kernel := needLandlock(t)
	full, err := Probe(t.Context(), Self)
	if err != nil || full == partial(kernel) {
		t.Errorf("full %v, %v", full, err)
	}
	if got := start(t, nil, "--probe"); got.code != 0 || (got.stdout != FullyEnforced+"\n" && got.stdout != PartiallyEnforced+"\n") {
		t.Errorf("%+v", got)
	}
	if _, err := Probe(t.Context(), "/bin/true"); err == nil {
		t.Error("a launcher that says nothing passes")
	}
	if _, err := Probe(t.Context(), "/nowhere"); err == nil {
		t.Error("a launcher that is not there passes")
	}
}
