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

// Main runs the tests, or is the probe if this process was started as that: it
// makes attempts, or does an ordinary command's job. It does not return.
func Main(m *testing.M) {
	ServeProbe()
	os.Exit(m.Run())
}

// ServeProbe is the probe and exits, if this process was started as that, and
// otherwise returns. It is for a TestMain that serves others, too.
func ServeProbe() {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case probeArg:
			os.Exit(probeMain(os.Args[2], os.Args[3:]))
		case witnessArg:
			os.Exit(witnessMain(os.Args[2], os.Args[3:]))
		}
	}
	serving.Store(true)
}
