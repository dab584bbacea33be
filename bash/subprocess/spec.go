package subprocess

import (
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// Spec is everything about one start. Nothing is left to default but what a
// field's comment says of its zero value.
type Spec struct {
	// Argv is the program and its arguments. Argv[0] is an absolute path; it
	// is not searched for.
	Argv []string
	// Dir is the absolute working directory.
	Dir string
	// Env holds entries to set over the inherited environment, which comes
	// without credentials (see [Environ]). Nil means none.
	Env map[string]string
	// Unset names variables to take out of what is inherited. An entry of Env
	// or Managed with the same name is still set.
	Unset []string
	// Managed holds the DSH_* entries, which nothing can displace. Nil means
	// none. Every name begins with ManagedPrefix.
	Managed map[string]string
	// Stdin is copied to the process through a pipe, never handed over, for a
	// file given as descriptor 0 could be reopened for writing. Nil means
	// /dev/null. A read from it may still be blocked after the process ended;
	// its result is then dropped.
	Stdin io.Reader
	// StdinPipe asks for the writing end as Handle.Pipes().Stdin. It excludes
	// Stdin.
	StdinPipe bool
	// Stdout and Stderr are what becomes of the output streams.
	Stdout, Stderr Output
	// Grace is the time from the polite signal to SIGKILL, and the longest
	// time that the outcome waits for an output pipe held open by a descendant
	// of a leader that has exited. Zero means no time at all.
	Grace time.Duration
	// Inputs are as a [sandbox.Confinement] gives them: the content of the
	// descriptors from Service.Host().FirstFD on. Nil means none.
	Inputs [][]byte
	// Status, if set, makes the descriptor after the inputs a pipe whose
	// content Handle.StatusReport returns.
	Status *sandbox.Status
	// Restrict is run once on the thread that starts the process. If it fails
	// nothing is started.
	Restrict func() error
}

// OutputMode is what becomes of an output stream.
type OutputMode int

const (
	// Collect keeps the tail in memory. It is the zero value.
	Collect OutputMode = iota
	// Pipe gives the reading end to the caller in Handle.Pipes.
	Pipe
	// Inherit shares the service's own stream.
	Inherit
)

// Output is what becomes of one output stream. The zero value reads it to the
// end and keeps nothing. The fields but Mode are for Collect only.
type Output struct {
	// Mode says which of the three it is.
	Mode OutputMode
	// MaxBytes is how many raw bytes, the last ones, are kept in memory.
	MaxBytes int
	// Spill, if set, has the whole stream written to a file when it overflows
	// MaxBytes.
	Spill *Spill
	// Observe, if set, is called with every chunk in order. It must not keep
	// the chunk, and it holds the stream up while it runs. The calls for the
	// two streams of one process never overlap, and there is none after
	// Handle.Done is closed.
	Observe func(chunk []byte)
}

// Spill describes the file for a stream that overflows.
type Spill struct {
	// MaxBytes is the longest stream that is kept: a longer one loses its
	// file.
	MaxBytes int64
	// Outside lists canonical directories in which the file must not lie,
	// because the process may write there.
	Outside []string
}

// Validate reports what of s no service could start, as the error that belongs
// into a [StartError] of [StageValidate]: an [*InvalidSpecError] that names
// the field.
func (s Spec) Validate() error {
	for _, check := range []func() error{s.validateArgv, s.validateDir, s.validateEnv, s.validateStreams} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s Spec) validateArgv() error {
	if len(s.Argv) == 0 {
		return &InvalidSpecError{Field: "Argv", Err: ErrEmpty}
	}
	for _, arg := range s.Argv {
		if strings.ContainsRune(arg, 0) {
			return &InvalidSpecError{Field: "Argv", Value: arg, Err: ErrNUL}
		}
	}
	if !filepath.IsAbs(s.Argv[0]) {
		return &InvalidSpecError{Field: "Argv", Value: s.Argv[0], Err: ErrNotAbsolute}
	}
	return nil
}

func (s Spec) validateDir() error {
	switch {
	case strings.ContainsRune(s.Dir, 0):
		return &InvalidSpecError{Field: "Dir", Value: s.Dir, Err: ErrNUL}
	case !filepath.IsAbs(s.Dir):
		return &InvalidSpecError{Field: "Dir", Value: s.Dir, Err: ErrNotAbsolute}
	}
	return nil
}

func (s Spec) validateEnv() error {
	for _, entries := range []struct {
		field string
		env   map[string]string
	}{{"Env", s.Env}, {"Managed", s.Managed}} {
		for name, value := range entries.env {
			if err := checkEntry(name, value); err != nil {
				return &InvalidSpecError{Field: entries.field, Value: name, Err: err}
			}
		}
	}
	for name := range s.Managed {
		if !strings.HasPrefix(name, ManagedPrefix) {
			return &InvalidSpecError{Field: "Managed", Value: name, Err: ErrNotManaged}
		}
	}
	return nil
}

// checkEntry holds an entry to environ(7): a name has no "=", and neither part
// has a NUL byte. A value is never quoted in an error, for it may be a secret.
func checkEntry(name, value string) error {
	switch {
	case name == "":
		return ErrEmpty
	case strings.ContainsRune(name, '='):
		return ErrEqualsInName
	case strings.ContainsRune(name, 0), strings.ContainsRune(value, 0):
		return ErrNUL
	}
	return nil
}

func (s Spec) validateStreams() error {
	if s.Stdin != nil && s.StdinPipe {
		return &InvalidSpecError{Field: "Stdin", Err: ErrBothInputs}
	}
	if s.Grace < 0 {
		return &InvalidSpecError{Field: "Grace", Value: s.Grace.String(), Err: ErrNegative}
	}
	for _, out := range []struct {
		field string
		Output
	}{{"Stdout", s.Stdout}, {"Stderr", s.Stderr}} {
		if out.MaxBytes < 0 || out.Spill != nil && out.Spill.MaxBytes < 0 {
			return &InvalidSpecError{Field: out.field, Err: ErrNegative}
		}
		if out.Mode < Collect || out.Mode > Inherit {
			return &InvalidSpecError{Field: out.field, Err: ErrOutputMode}
		}
	}
	return nil
}
