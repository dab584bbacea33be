package bashsandbox

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/bash/subprocess"
)

var update = flag.Bool("update", false, "rewrite testdata/attribution.md from the cases")

// TestTheTableIsWhatIsTested keeps the table for the documents equal to the
// cases of TestVerdict and TestStartBlame.
func TestTheTableIsWhatIsTested(t *testing.T) {
	const golden = "testdata/attribution.md"
	table := startTable() + "\n" + endTable()
	if *update {
		if err := os.WriteFile(golden, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if table != string(want) {
		t.Errorf("%s is out of date; run go test -run %s -update\n%s", golden, t.Name(), table)
	}
}

// startTable shows the starts that failed.
func startTable() string {
	var b strings.Builder
	b.WriteString("| start failed | at | error | workdir | verdict |\n|---|---|---|---|---|\n")
	for _, c := range blameCases {
		var failed *subprocess.StartError
		if !errors.As(c.err, &failed) {
			continue
		}
		verdict := "error unchanged"
		if c.want {
			verdict = "**runner failure**"
		}
		program := map[string]string{runnerProgram: "runner", shellProgram: "bash"}[failed.Program]
		if program == "" {
			program = "another program"
		}
		fmt.Fprintf(&b, "| %s | %s, %s | %v | %s | %s |\n", c.name, failed.Stage, program, failed.Err, c.workdir, verdict)
	}
	return b.String()
}

// endTable shows the ends of what did start.
func endTable() string {
	var b strings.Builder
	b.WriteString("| it ended | ended by | channel | exit | stderr | verdict |\n|---|---|---|---|---|---|\n")
	for _, c := range verdictCases {
		by, how, channel := "itself", fmt.Sprintf("code %d", c.outcome.ExitCode), "none"
		if c.outcome.Terminated {
			by = "us"
		}
		if c.outcome.Signal != "" {
			how = c.outcome.Signal
		}
		if c.channel {
			channel = c.report
			if channel == "" {
				channel = "unknown"
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", c.name, by, channel, how, inWords(c.stderr), c.want.inWords())
	}
	return b.String()
}

// inWords says what a standard error holds.
func inWords(stderr string) string {
	switch stderr {
	case "":
		return "nothing"
	case runnersText:
		return "a runner's failure"
	case denialText:
		return "a denial"
	case denialText + runnersText:
		return "both"
	default:
		return "other text"
	}
}

func (v verdict) inWords() string {
	switch {
	case v.runnerFailed:
		return "**runner failure**"
	case v.denied:
		return "**denied**"
	default:
		return "the command's own"
	}
}
