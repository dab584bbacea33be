// Package guestjob is what the host and the guest tell each other: the host
// puts a list of jobs into the guest's file system, and the guest writes one
// line of JSON per event to a serial port of its own.
package guestjob

import (
	"errors"
	"time"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox/sandboxtest"
)

// Paths in the guest.
const (
	ListPath   = "/dsh/jobs.json"
	GuestPath  = "/dsh/guest"
	ModulesDir = "/dsh/modules"
	TestsDir   = "/dsh/tests"
)

// OneAttempt is the name of the flag by which a measurement has every effect
// in one way alone.
const OneAttempt = "one-attempt"

// User is who runs a job.
type User string

// The users. The ordinary one has no capability, and no group but its own.
const (
	Root     User = "root"
	Ordinary User = "ordinary user"
)

// Job is one program to run in the guest, to its end.
type Job struct {
	Name string
	Argv []string
	// Env holds entries (NAME=value) on top of what every job gets.
	Env  []string `json:",omitempty"`
	User User
	// LastLine is what the program prints last when it ran to its end.
	LastLine string
	// ABI is the Landlock ABI that the job is made to believe in; 0 is the
	// kernel's own.
	ABI int `json:",omitempty"`
	// Without are files that are moved away while the job runs.
	Without []string `json:",omitempty"`
	// Timeout is when the job is killed.
	Timeout time.Duration
}

// List is what the host asks of a guest.
type List struct {
	// Report is the serial port for the events.
	Report string
	Jobs   []Job
}

// Started is the first event: the kernel that runs.
type Started struct {
	Release, Machine string
	// ABI is the version of the kernel's Landlock; 0 where it has none.
	ABI int
}

// Ended is how a job went.
type Ended struct {
	Job string
	// ExitCode is -1 when a signal ended it, and Err says why it could not be
	// run or was killed.
	ExitCode int
	Err      string `json:",omitempty"`
	// Output is the end of what it printed on both streams.
	Output string
	Took   time.Duration
}

// Event is one line of the report. Exactly one field is set.
type Event struct {
	Started *Started `json:",omitempty"`
	Ended   *Ended   `json:",omitempty"`
	// Failure is why the guest could not go on.
	Failure string `json:",omitempty"`
	// Complete is the last line: every job was run.
	Complete bool `json:",omitempty"`
}

// Row is the truth about one runner under one mode, as one user.
type Row struct {
	User   User
	Runner string
	Mode   sandbox.Mode
	// Unusable says why the runner does not work here; the rest is then empty.
	Unusable    string              `json:",omitempty"`
	Enforcement sandbox.Enforcement `json:",omitempty"`
	Gaps        []sandbox.Gap       `json:",omitempty"`
	// Cells counts the cells of the truth table by verdict.
	Cells map[sandboxtest.Verdict]int `json:",omitempty"`
	// Violations are the claims that do not hold.
	Violations []sandboxtest.Violation `json:",omitempty"`
}

// The last lines of the guest's own jobs.
const (
	MeasuredLine = "measured" // after the rows of a measurement
	RefusedLine  = "refused"  // after the refusals of a machine without a runner
)

var (
	// ErrIncomplete means that the guest did not report its last line.
	ErrIncomplete = errors.New("the guest did not report its last line")
	// ErrGarbled means that a line of the report is no event.
	ErrGarbled = errors.New("garbled report")
)
