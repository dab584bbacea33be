package subprocess

import (
	"errors"
	"fmt"
)

// Stage is how far a start got.
type Stage string

const (
	// StageValidate: the spec itself was refused.
	StageValidate Stage = "validate"
	// StageDirectory: the working directory cannot be entered.
	StageDirectory Stage = "directory"
	// StageRestrict: Spec.Restrict failed.
	StageRestrict Stage = "restrict"
	// StageExec: the program cannot be executed.
	StageExec Stage = "exec"
)

// StartError is a start that failed. Nothing ran.
type StartError struct {
	// Stage is how far the start had come.
	Stage Stage
	// Program is Argv[0], or empty if there was none.
	Program string
	// Dir is the spec's.
	Dir string
	// Err is the reason, never nil.
	Err error
}

// Error names the program, or the directory where that is at fault.
func (e *StartError) Error() string {
	switch e.Stage {
	case StageDirectory:
		return fmt.Sprintf("subprocess: cannot start in %q: %v", e.Dir, e.Err)
	case StageRestrict:
		return fmt.Sprintf("subprocess: cannot restrict the thread that starts %q: %v", e.Program, e.Err)
	default:
		return fmt.Sprintf("subprocess: cannot start %q: %v", e.Program, e.Err)
	}
}

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }

var (
	// ErrClosed is the reason for a start after Service.Close.
	ErrClosed = errors.New("the process service is closed")
	// ErrNotFound is the reason when a program cannot be found.
	ErrNotFound = errors.New("executable not found")
	// ErrUnsupported is the reason when a service cannot do on this system
	// what a spec asks for. It never does less instead.
	ErrUnsupported = errors.New("not supported on this system")
)

// The reasons inside an [*InvalidSpecError].
var (
	ErrEmpty        = errors.New("is empty")
	ErrNUL          = errors.New("contains a NUL byte")
	ErrNotAbsolute  = errors.New("is not an absolute path")
	ErrEqualsInName = errors.New("has a \"=\" in its name")
	ErrNotManaged   = errors.New("does not begin with " + ManagedPrefix)
	ErrBothInputs   = errors.New("and a pipe for standard input exclude each other")
	ErrNegative     = errors.New("is negative")
	ErrOutputMode   = errors.New("has an unknown mode")
	ErrTooLong      = errors.New("is too long for the kernel")
)

// InvalidSpecError is a field of a spec with which no process can be started.
type InvalidSpecError struct {
	// Field is the field of [Spec] at fault.
	Field string
	// Value is the argument, path or variable name at fault, or empty. It is
	// never the value of a variable.
	Value string
	// Err is the reason, never nil.
	Err error
}

// Error names the field and, shortened, the value.
func (e *InvalidSpecError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s %v", e.Field, e.Err)
	}
	return fmt.Sprintf("%s %s %v", e.Field, abbreviate(e.Value), e.Err)
}

// Unwrap returns the reason.
func (e *InvalidSpecError) Unwrap() error { return e.Err }

// TooLongError is an argument, or all arguments and the environment together,
// that exceed what the kernel passes to a program (execve(2), "Limits on size
// of arguments and environment"). errors.Is(err, [ErrTooLong]) holds for it.
type TooLongError struct {
	// Field is "Argv" for one argument, "Env" for one entry, and "Argv and
	// Env" for their sum.
	Field string
	// Bytes is the size including terminating NUL bytes; Limit is the largest
	// that can be passed. Limit is 0 where only the kernel knows it.
	Bytes, Limit int64
}

// Error names the size and the limit.
func (e *TooLongError) Error() string {
	if e.Limit == 0 {
		return fmt.Sprintf("%s %v: %d bytes", e.Field, ErrTooLong, e.Bytes)
	}
	return fmt.Sprintf("%s %v: %d bytes, and the limit is %d", e.Field, ErrTooLong, e.Bytes, e.Limit)
}

// Is reports whether target is [ErrTooLong].
func (e *TooLongError) Is(target error) bool { return target == ErrTooLong }

// abbreviate quotes s and cuts it to what a message can bear.
func abbreviate(s string) string {
	const most = 64
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
