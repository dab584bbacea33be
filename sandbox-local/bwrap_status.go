package sandboxlocal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/dsh-go/dsh/sandbox"
)

// bwrapReport is what bwrap has written to its status descriptor so far: one
// JSON object when the child exists, and one with the exit code when the
// command has ended, which it writes only if the command ran.
type bwrapReport struct {
	ChildPID int  `json:"child-pid"`
	ExitCode *int `json:"exit-code"`
	torn     bool
}

func parseBwrapReport(report []byte) bwrapReport {
	var parsed bwrapReport
	records := json.NewDecoder(bytes.NewReader(report))
	for {
		if err := records.Decode(&parsed); err != nil {
			parsed.torn = !errors.Is(err, io.EOF)
			return parsed
		}
	}
}

func bwrapStatus() *sandbox.Status {
	return &sandbox.Status{Read: bwrapStart, Leader: bwrapLeader}
}

// bwrapStart takes the report for complete: it is the state of a runner that
// has ended.
func bwrapStart(report []byte) sandbox.StartState {
	switch parsed := parseBwrapReport(report); {
	case parsed.ExitCode != nil:
		return sandbox.CommandStarted
	case parsed.torn:
		return sandbox.StartUnknown
	default:
		return sandbox.CommandNotStarted
	}
}

// bwrapLeader is the namespace's first process. It ignores SIGTERM itself, but
// its group delivers it to the command.
func bwrapLeader(report []byte) int {
	if pid := parseBwrapReport(report).ChildPID; pid > 1 {
		return pid
	}
	return 0 // never a number that kill(2) takes for something else
}
