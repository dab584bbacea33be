package sandboxlocal

import (
	"context"

	"github.com/dsh-go/dsh/sandbox"
)

// runner is a candidate that was found on this machine. It is safe for
// concurrent use.
type runner interface {
	// checkTrust says why the runner must not serve this one call.
	checkTrust(*call) error
	// confine fails only for what is wrong with the call.
	confine(*call) (*sandbox.Confinement, error)
	// probe runs the runner with the profiles that commands get, in both
	// modes, and says why it is unusable.
	probe(context.Context) error
}

// open finds the runner that an entry of Config.Runners means.
func (p *Provider) open(entry string, host sandbox.Host) (runner, error) {
	name, _ := runnerOf(entry)
	switch name {
	case Bwrap:
		return openBwrap(entry)
	case Landlock:
		return openLandlock(p.config.LandlockLauncher, host)
	case Seatbelt:
		return openSeatbelt()
	default:
		return openCustom(p.config.RunnerCommand, p.config.RunnerFailureSignatures)
	}
}
