package sandboxlocal

import (
	"bytes"
	"context"
	"strconv"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/landlock"
	"github.com/dsh-go/dsh/sandbox-local/internal/sysfilter"
	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
)

// landlockLauncher confines by a program that confines itself and becomes the
// command.
type landlockLauncher struct {
	program
	kernel landlock.Kernel
	caller landlockCaller
}

// findLauncher resolves the configured launcher, or the one on PATH.
func findLauncher(configured string) (program, error) {
	switch configured {
	case "":
		return findProgram(launcherName)
	case landlockrun.Self:
		// The link leads to the program that is running even if its file was
		// replaced or removed since.
		return program{path: configured, canonical: configured, trusted: true}, nil
	default:
		return findProgram(configured)
	}
}

const launcherName = "landlock-run"

func (l *landlockLauncher) confine(c *call) (*sandbox.Confinement, error) {
	grants, err := landlockrun.GrantArgs(c.Policy)
	if err != nil {
		return nil, err
	}
	outside, inside := splitEnv(withTemp(c.Env, c.writable))
	result := &sandbox.Confinement{
		Env:     outside,
		Dialect: launcherDialect(),
		Report:  landlockReport(l.kernel, l.caller, c.Policy.Mode),
	}
	var status []string
	if c.Host.FirstFD != 0 {
		status = []string{"--status-fd", strconv.Itoa(c.Host.FirstFD)}
		result.Status = &sandbox.Status{Read: launcherStart}
	}
	result.Argv = concat(landlockrun.Command(l.path), grants, setenvArgs(inside), status, []string{"--"}, c.Argv)
	return result, nil
}

// probe has the launcher answer to its own probe inside of both profiles.
func (l *landlockLauncher) probe(ctx context.Context) error {
	return probeBoth(ctx, l, append(landlockrun.Command(l.path), "--probe")...)
}

func launcherDialect() sandbox.Dialect {
	return sandbox.Dialect{
		Denials: landlockDenials,
		Failures: []sandbox.FailureRule{{
			ExitCodes:     []int{landlockrun.ExitFailure},
			Fatal:         []string{landlockrun.Prefix},
			Informational: []string{landlockrun.PartialNotice},
		}},
	}
}

// launcherStart reads the launcher's lines. The last one that is complete
// counts: that it was about to execute the command, or that this failed.
func launcherStart(report []byte) sandbox.StartState {
	state := sandbox.StartUnknown
	for line := range bytes.Lines(report) {
		switch {
		case !bytes.HasSuffix(line, []byte("\n")):
		case string(line) == landlockrun.StatusExec+"\n":
			state = sandbox.CommandStarted
		case bytes.HasPrefix(line, []byte(landlockrun.StatusFailed)):
			state = sandbox.CommandNotStarted
		}
	}
	return state
}

// landlockReport says what Landlock and the filter enforce under a mode.
func landlockReport(kernel landlock.Kernel, who landlockCaller, mode sandbox.Mode) sandbox.Report {
	gaps := landlockGaps(kernel, who, mode == sandbox.ReadOnly && sysfilter.Supported())
	return sandbox.Report{Runner: Landlock, Enforcement: sandbox.EnforcementOf(gaps), Gaps: gaps}
}
