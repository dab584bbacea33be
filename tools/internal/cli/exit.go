package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// The exit statuses that are dsh's own. A status that a command chose itself
// is passed on as it is.
const (
	StatusTimeout = 124 // as timeout(1)
	StatusFailure = 125 // dsh failed, and the command did not run
	StatusSignal  = 128 // plus the number of the signal
)

// ExitError ends the program with a status of its own. A nil Err prints
// nothing: what there was to say has been said.
type ExitError struct {
	Status int
	Err    error
}

// Error is what Err says.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Status)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *ExitError) Unwrap() error { return e.Err }

// AsExit returns how err ends the program. What says nothing of it is dsh's
// own failure.
func AsExit(err error) *ExitError {
	var exit *ExitError
	if errors.As(err, &exit) {
		return exit
	}
	return &ExitError{Status: StatusFailure, Err: err}
}

// UsageError names the command whose help would have helped.
func UsageError(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())
}

// OneLine returns err's message as the one line that dsh says of its failure.
func OneLine(err error) string {
	return "dsh: " + strings.Join(strings.Fields(err.Error()), " ")
}

// FlagError is a flag whose value cannot be used.
type FlagError struct {
	Flag string // without its dashes
	Err  error
}

// Error names the flag and the reason.
func (e *FlagError) Error() string { return fmt.Sprintf("--%s: %v", e.Flag, e.Err) }

// Unwrap returns the reason.
func (e *FlagError) Unwrap() error { return e.Err }

// Code returns the stable name of this kind of failure.
func (e *FlagError) Code() string { return "INVALID_FLAG" }
