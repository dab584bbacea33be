package sandbox

import (
	"context"
	"fmt"
)

// A Provider confines commands. It is safe for concurrent use.
//
// The interface never grows: what a future provider can do beyond it is an
// optional interface or a new field.
type Provider interface {
	// Confine says what to start so that req.Argv runs under req.Policy: in
	// req.Dir or not at all, with the entries of req.Env over what the started
	// program inherits, and with the latter's standard streams. An exit code of
	// the command is the started program's.
	//
	// It returns the [*InvalidPolicyError] of [Policy.Validate] for a policy
	// that the caller got wrong, an [*UnavailableError] when no backend can
	// hold the policy here or serve such a host, [ErrFullAccess] for a policy
	// that confines nothing, and ctx's error when ctx ends first. What else is
	// wrong with a request (nothing to start, say, or a root that is not
	// canonical) is the provider's to name. It never returns a confinement that
	// confines less than its report says. The confinement serves one start.
	Confine(ctx context.Context, req Request) (*Confinement, error)
}

// Request is one call to confine.
type Request struct {
	// Argv is exactly what the caller is about to start; never a shell string.
	Argv []string
	// Dir is the absolute directory in which it will start. A backend that
	// hides it fails, and starts the command nowhere else.
	Dir string
	// Env holds the entries that the caller sets explicitly for the command.
	// What the command inherits is not listed. Nil means none. A provider may
	// replace one that names a temporary directory which the command would not
	// have.
	Env map[string]string
	// Policy is what the command is to be confined to.
	Policy Policy
	// Host is what the caller can do beyond starting an argv.
	Host Host
}

// Host says what the caller's spawner can do beyond starting an argv. The zero
// value can do nothing more.
type Host struct {
	// FirstFD is the number from which extra descriptors are numbered in the
	// child; 0 means that it cannot be given any.
	FirstFD int
	// OnThread says that a function can be run on the very operating-system
	// thread that then starts the process.
	OnThread bool
}

// Confinement is what to start, and what is known about it. Exactly one of
// Argv and OnThread is set, so a caller that ignores OnThread has nothing to
// start and cannot run the command unconfined by mistake.
type Confinement struct {
	// Argv is to be started instead of the request's: it confines itself.
	Argv []string
	// OnThread is set only if the request's host offered it.
	OnThread *OnThread
	// Env holds the entries to set for the started program, instead of the
	// request's, over what it inherits from the caller's. A backend takes out
	// what would act on the runner itself and has the runner set it inside.
	Env map[string]string
	// Unset names variables that the started program must not inherit, such as
	// an LD_PRELOAD that would act on the runner. An entry of Env is set all
	// the same.
	Unset []string
	// Inputs are contents to be readable by the started program as the
	// descriptors Host.FirstFD, Host.FirstFD+1 and so on.
	Inputs [][]byte
	// Status, if set, asks for one more descriptor, after the inputs: the
	// writing end of a pipe on which the runner reports.
	Status *Status
	// Dialect is how this backend speaks on standard error.
	Dialect Dialect
	// Report is what this confinement enforces here.
	Report Report
}

// Check reports how c breaks the contract between a provider and a caller
// with the given host, as an error that wraps [ErrMalformed], or nil. A caller
// must not start a confinement that does not pass: it might not confine.
func (c *Confinement) Check(host Host) error {
	switch {
	case c == nil:
		return malformed("it is nil")
	case (len(c.Argv) == 0) == (c.OnThread == nil):
		return malformed("exactly one of Argv and OnThread must be set")
	case c.OnThread != nil && !host.OnThread:
		return malformed("the host cannot run a function on the starting thread")
	case c.OnThread != nil && (len(c.OnThread.Argv) == 0 || c.OnThread.Restrict == nil):
		return malformed("OnThread lacks Argv or Restrict")
	case host.FirstFD == 0 && (len(c.Inputs) > 0 || c.Status != nil):
		return malformed("the host cannot give the child descriptors")
	case c.Status != nil && c.Status.Read == nil:
		return malformed("Status lacks Read")
	case c.Report.Enforcement != EnforcementOf(c.Report.Gaps):
		return malformed("the report's enforcement and gaps contradict each other")
	}
	return nil
}

func malformed(how string) error { return fmt.Errorf("%w: %s", ErrMalformed, how) }

// OnThread confines the thread that starts the command.
type OnThread struct {
	// Argv is what to start from the confined thread.
	Argv []string
	// Restrict confines the calling thread for good. It is to be run once, on
	// a locked thread that starts Argv next and serves nothing afterwards.
	// When it fails, nothing must be started.
	Restrict func() error
}

// Status is a runner's private channel, which nothing that the command prints
// can imitate. Its functions are pure and safe for concurrent use.
type Status struct {
	// Read says how far the start got, from all that the runner had reported
	// when it ended. Of a runner that a signal ended, and that may have had
	// more to report, the answer says nothing.
	Read func(report []byte) StartState
	// Leader names the process whose group is to get the polite signal, so
	// that the command hears of it: one that comes from the process that was
	// started, and leads a group. The report may still be incomplete; 0 means
	// that it does not tell yet, or that it is the process that was started,
	// and so does a nil function.
	Leader func(report []byte) int
}

// StartState is how far a runner got with starting the command.
type StartState int

const (
	// StartUnknown means that the report does not tell.
	StartUnknown StartState = iota
	// CommandNotStarted means that the command never ran.
	CommandNotStarted
	// CommandStarted means that whatever followed was the command's own doing.
	CommandStarted
)

// String returns the state in words.
func (s StartState) String() string {
	switch s {
	case CommandNotStarted:
		return "command not started"
	case CommandStarted:
		return "command started"
	default:
		return "unknown"
	}
}

// Dialect is how a backend speaks on standard error. It is evidence of last
// resort: a command can print anything, so a private channel outranks it.
type Dialect struct {
	// Denials are substrings of standard error, matched without regard to
	// case, by which a refused file access is known: of the system's words for
	// it, as programs print them. None is empty.
	Denials []string
	// Failures are the rules by which the runner's own failure is known, in
	// the order in which they are tried.
	Failures []FailureRule
}

// FailureRule recognises the failure of a runner that has no private channel.
type FailureRule struct {
	// ExitCodes are the exit codes to which the rule applies. Nil means any
	// non-zero code.
	ExitCodes []int
	// Fatal are substrings of one line, matched without regard to case. Blank
	// ones are ignored.
	Fatal []string
	// Informational are lines set aside first. They match a whole, untrimmed
	// line without regard to case.
	Informational []string
}
