package sandboxtest

import (
	"os"
	"sync/atomic"
	"testing"
)

// probeArg makes the test binary make attempts: "sandboxtest-probe PLAN", and
// one attempt of the plan in this very process: "sandboxtest-probe PLAN ID".
const probeArg = "sandboxtest-probe"

// serving is set once the test binary is known to serve as the probe. Without
// that, starting it would run its tests again, and again.
var serving atomic.Bool

// Main runs the tests, or makes the attempts if this process was started for
// that. It does not return.
func Main(m *testing.M) {
	ServeProbe()
	os.Exit(m.Run())
}

// ServeProbe makes the attempts and exits, if this process was started for
// that, and otherwise returns. It is for a TestMain that serves others, too.
func ServeProbe() {
	if len(os.Args) > 2 && os.Args[1] == probeArg {
		os.Exit(probeMain(os.Args[2], os.Args[3:]))
	}
	serving.Store(true)
}
