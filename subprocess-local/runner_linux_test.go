package subprocesslocal

import (
	"strconv"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

// slowRunner names the process for the polite signal at once, and starts the
// command only a while later. That process leads a group and ignores SIGTERM
// itself, as the first process of a PID namespace does; what ends the command
// ends the runner.
const slowRunner = `
set -m
( trap '' TERM; until=$((${EPOCHREALTIME/./} + 300000))
  while ((${EPOCHREALTIME/./} < until)); do :; done
  (trap - TERM; exec sleep NUMBER); echo "command ended: $?" ) &
set +m
trap '' TERM
echo $! >&3
wait`

// TestThePoliteSignalWaitsForTheCommand: a termination just after the start
// would otherwise be lost on a runner that is still setting up, and the command
// would hear nothing until it is killed.
func TestThePoliteSignalWaitsForTheCommand(t *testing.T) {
	service, number := newService(t), mark(t)
	spec := bash(strings.ReplaceAll(slowRunner, "NUMBER", number))
	spec.Grace = 2 * tooLong
	spec.Status = &sandbox.Status{Leader: func(report []byte) int {
		pid, _ := strconv.Atoi(strings.TrimSpace(string(report)))
		return pid
	}}
	for _, early := range []bool{true, false} {
		p := start(t, service, spec)
		if !early {
			until(t, "the report", func() bool { return len(p.StatusReport()) > 0 })
		}
		if !p.Terminate() {
			t.Error("Terminate = false")
		}
		outcome := finish(t, p)
		if got := p.Stdout().ReadFrom(0).Text; got != "command ended: 143\n" {
			t.Errorf("early %v: %+v, %q, %q", early, outcome, got, p.Stderr().ReadFrom(0).Text)
		}
		waitTree(t, p)
	}
}
