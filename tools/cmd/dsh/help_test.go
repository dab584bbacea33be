package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/tools/internal/cli"
)

// TestHelp pins what every subcommand says of itself: one file for each, and
// none that is left over.
func TestHelp(t *testing.T) {
	dir := filepath.Join("testdata", "help")
	want := map[string]bool{"dsh.golden": true}
	wantGolden(t, filepath.Join(dir, "dsh.golden"), output(t, "--help"))
	for _, cmd := range newRoot(cli.OwnStreams()).Commands() {
		file := cmd.Name() + ".golden"
		want[file] = true
		wantGolden(t, filepath.Join(dir, file), output(t, cmd.Name(), "--help"))
	}
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if !want[file.Name()] {
			t.Errorf("%s is the help of no subcommand", file.Name())
		}
	}
}

func TestHelpOfSubcommandIsItsFlagHelp(t *testing.T) {
	for _, cmd := range newRoot(cli.OwnStreams()).Commands() {
		if got, want := output(t, "help", cmd.Name()), output(t, cmd.Name(), "--help"); got != want {
			t.Errorf("dsh help %s says\n%s", cmd.Name(), got)
		}
	}
}

func TestEverySubcommandHasExamples(t *testing.T) {
	for _, cmd := range newRoot(cli.OwnStreams()).Commands() {
		switch {
		case !strings.Contains(cmd.Example, "dsh "+cmd.Name()) && !strings.Contains(cmd.Example, `"args": ["`+cmd.Name()):
			t.Errorf("the examples of dsh %s do not use it:\n%s", cmd.Name(), cmd.Example)
		case cmd.Long == "":
			t.Errorf("dsh %s says nothing but its summary", cmd.Name())
		}
		longLines(t, cmd)
	}
}

// longLines holds help to what a terminal shows without wrapping.
func longLines(t *testing.T, cmd *cobra.Command) {
	t.Helper()
	for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
		if line = strings.TrimSuffix(line, "\n"); len(line) > 100 {
			t.Errorf("dsh %s: a line of its help is %d characters long: %s", cmd.Name(), len(line), line)
		}
	}
}

// output returns what the command line prints, which must not fail.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out strings.Builder
	root := newRoot(cli.OwnStreams())
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out.String()
}
