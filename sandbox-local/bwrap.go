package sandboxlocal

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/capability"
	"github.com/dsh-go/dsh/sandbox-local/internal/sysfilter"
)

// bwrap confines with bubblewrap.
type bwrap struct {
	program
	caller caller
	filter []byte // where there is one for this machine
}

// caller is on whose behalf the runner is started.
type caller struct {
	root   bool
	labels bool // is not root and may set security attributes all the same
	held   capability.Set
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
	opened := &bwrap{program: found, caller: who}
	// An ordinary user owns no device node; what is left to it is their times.
	options := sysfilter.Options{Errno: syscall.EROFS, TimesOnly: !who.root}
	if filter, err := sysfilter.New(options); err == nil {
		opened.filter = filter.Bytes()
	}
	return opened, nil
}

func currentCaller() (caller, error) {
	held, err := capability.Held()
	if err != nil {
		return caller{}, err
	}
	root := os.Geteuid() == 0
	return caller{root: root, labels: !root && mayLabel(), held: held}, nil
}

func (b *bwrap) confine(c *call) (*sandbox.Confinement, error) {
	if err := checkVisible(Bwrap, c); err != nil {
		return nil, err
	}
	filter := b.filterFor(c)
	outside, inside := splitEnv(withTemp(c.Env, bwrapWritable(c)))
	result := &sandbox.Confinement{Env: outside, Dialect: bwrapDialect(), Report: b.report(len(filter) > 0)}
	head := []string{b.path}
	if c.Host.FirstFD == 0 {
		head = append(head, setenvArgs(inside)...)
	} else {
		head = append(head, channelOptions(c.Host.FirstFD, inside, filter, result)...)
	}
	result.Argv = concat(head, bwrapProfile(b.caller, c), []string{"--"}, c.Argv)
	return result, nil
}

// filterFor returns the program that keeps the command from changing the device
// nodes, which are the host's own inodes. It needs a descriptor, and would break
// every chmod and touch under workspace-write.
func (b *bwrap) filterFor(c *call) []byte {
	if c.Policy.Mode != sandbox.ReadOnly || c.Host.FirstFD == 0 {
		return nil
	}
	return slices.Clone(b.filter)
}

// channelOptions gives the runner its descriptors: the variables to set inside,
// so that their values appear in no argv, the system-call filter, and the pipe
// on which it reports.
func channelOptions(firstFD int, inside []variable, filter []byte, result *sandbox.Confinement) []string {
	var options []string
	next := func() string { return strconv.Itoa(firstFD + len(result.Inputs)) }
	if len(inside) > 0 {
		options = append(options, "--args", next())
		result.Inputs = append(result.Inputs, []byte(strings.Join(setenvArgs(inside), "\x00")+"\x00"))
	}
	if len(filter) > 0 {
		options = append(options, "--seccomp", next())
		result.Inputs = append(result.Inputs, filter)
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

func (b *bwrap) report(filtered bool) sandbox.Report {
	var gaps []sandbox.Gap
	switch {
	case b.caller.root && !filtered:
		gaps = gapsOf(sandbox.PlaceDev, reasonDeviceNodes,
			sandbox.EffectMode, sandbox.EffectOwner, sandbox.EffectTimes, sandbox.EffectXattr)
	case !b.caller.root && !filtered:
		gaps = gapsOf(sandbox.PlaceDev, reasonNodeTimes, sandbox.EffectTimes)
	}
	if b.caller.labels {
		gaps = append(gaps, gapsOf(sandbox.PlaceDev, reasonLabels, sandbox.EffectXattr)...)
	}
	return sandbox.Report{Runner: Bwrap, Enforcement: sandbox.EnforcementOf(gaps), Gaps: gaps}
}

// The gaps are about device nodes: a device on a read-only bind could not be
// opened, so that they are bound writable. Whoever may write to a file may set
// its times to the present (utimensat(2)), and everybody may write to /dev/null.
const (
	reasonDeviceNodes = "the device nodes in the sandbox's /dev are the host's own inodes, which root may change"
	reasonNodeTimes   = "the device nodes in the sandbox's /dev are the host's own inodes, whose times everybody may set to the present"
	reasonLabels      = "the device nodes in the sandbox's /dev are the host's own inodes, and this kernel lets anybody set " +
		"security attributes on them"
)

func gapsOf(place sandbox.Place, reason string, effects ...sandbox.Effect) []sandbox.Gap {
	gaps := make([]sandbox.Gap, len(effects))
	for i, effect := range effects {
		gaps[i] = sandbox.Gap{Effect: effect, Place: place, Reason: reason}
	}
	return gaps
}

func (b *bwrap) probe(ctx context.Context) error { return probeBoth(ctx, b, b.path, "--version") }
