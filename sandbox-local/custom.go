package sandboxlocal

import (
	"context"

	"github.com/dsh-go/dsh/sandbox"
)

// custom confines with the configured runner. It is trusted to do what its
// arguments say; the variables that it must set inside stand in its argv,
// because nothing is known about its descriptors.
type custom struct {
	program
	args       []string
	signatures []string
	caller     caller
}

func openCustom(command, signatures []string) (runner, error) {
	found, err := findProgram(command[0])
	if err != nil {
		return nil, err
	}
	who, err := currentCaller()
	if err != nil {
		who = caller{} // a system without capabilities
	}
	return &custom{program: found, args: command[1:], signatures: signatures, caller: who}, nil
}

// probe does nothing: the operator vouches for the runner.
func (r *custom) probe(context.Context) error { return nil }

func (r *custom) confine(c *call) (*sandbox.Confinement, error) {
	if err := checkVisible(Custom, c); err != nil {
		return nil, err
	}
	outside, inside := splitEnv(withTemp(c.Env, bwrapWritable(c)))
	return &sandbox.Confinement{
		Argv: concat([]string{r.path}, r.args, setenvArgs(inside), bwrapProfile(r.caller, c), []string{"--"}, c.Argv),
		Env:  outside,
		Dialect: sandbox.Dialect{
			Denials:  append(bwrapDialect().Denials, landlockDenials...),
			Failures: []sandbox.FailureRule{{Fatal: r.signatures}},
		},
		Report: sandbox.Report{Runner: Custom, Enforcement: sandbox.Full},
	}, nil
}
