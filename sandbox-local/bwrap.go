package sandboxlocal

import (
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/capability"
)

// bwrap confines with bubblewrap.
type bwrap struct {
	program
	caller caller
}

// caller is on whose behalf the runner is started.
type caller struct {
	root bool
	held capability.Set
}

func openBwrap(entry string) (runner, error) {
	found, err := findProgram(entry)
	if err != nil {
		return nil, err
	}
	who, err := currentCaller()
	if err != nil {
		return nil, err
	}
	return &bwrap{program: found, caller: who}, nil
}

func currentCaller() (caller, error) {
	held, err := capability.Held()
	if err != nil {
		return caller{}, err
	}
	return caller{root: os.Geteuid() == 0, held: held}, nil
}

func (b *bwrap) confine(c *call) (*sandbox.Confinement, error) {
	if err := checkVisible(Bwrap, c); err != nil {
		return nil, err
	}
	outside, inside := splitEnv(withTemp(c.Env, bwrapWritable(c)))
	result := &sandbox.Confinement{Env: outside, Dialect: bwrapDialect(), Report: b.report(c)}
	head := []string{b.path}
	if c.Host.FirstFD == 0 {
		head = append(head, setenvArgs(inside)...)
	} else {
		head = append(head, b.channels(c, inside, result)...)
	}
	result.Argv = concat(head, bwrapProfile(b.caller, c), []string{"--"}, c.Argv)
	return result, nil
}

// channels gives the runner its descriptors: the variables to set inside, so
// that their values appear in no argv, and the pipe on which it reports.
func (b *bwrap) channels(c *call, inside []variable, result *sandbox.Confinement) []string {
	var options []string
	next := func() string { return strconv.Itoa(c.Host.FirstFD + len(result.Inputs)) }
	if len(inside) > 0 {
		options = append(options, "--args", next())
		result.Inputs = append(result.Inputs, []byte(strings.Join(setenvArgs(inside), "\x00")+"\x00"))
	}
	options = append(options, "--json-status-fd", next())
	result.Status = bwrapStatus()
	return options
}

func setenvArgs(variables []variable) []string {
	var args []string
	for _, v := range variables {
		args = append(args, "--setenv", v.name, v.value)
	}
	return args
}

func concat(parts ...[]string) []string {
	var all []string
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// bwrapDialect serves where there is no status descriptor.
func bwrapDialect() sandbox.Dialect {
	return sandbox.Dialect{
		Denials:  []string{"read-only file system"},
		Failures: []sandbox.FailureRule{{Fatal: []string{"bwrap: "}}},
	}
}

func (b *bwrap) report(c *call) sandbox.Report {
	gaps := b.gaps()
	return sandbox.Report{Runner: Bwrap, Enforcement: sandbox.EnforcementOf(gaps), Gaps: gaps}
}

// gaps names what a root caller can do to the device nodes: they are the
// host's inodes, bound writable because a device on a read-only bind cannot be
// opened. Nobody else owns them.
func (b *bwrap) gaps() []sandbox.Gap {
	if !b.caller.root {
		return nil
	}
	const reason = "the device nodes in the sandbox's /dev are the host's own inodes, which root may change"
	return gapsOf(sandbox.PlaceDev, reason,
		sandbox.EffectMode, sandbox.EffectOwner, sandbox.EffectTimes, sandbox.EffectXattr)
}

func gapsOf(place sandbox.Place, reason string, effects ...sandbox.Effect) []sandbox.Gap {
	var gaps []sandbox.Gap
	for _, effect := range effects {
		gaps = append(gaps, sandbox.Gap{Effect: effect, Place: place, Reason: reason})
	}
	return gaps
}

func (b *bwrap) probe(ctx context.Context) error { return probeBoth(ctx, b, b.path, "--version") }
