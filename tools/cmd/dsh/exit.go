package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// The exit statuses that are dsh's own. A status that a command chose itself
// is passed on as it is.
const (
	statusTimeout = 124 // as timeout(1)
	statusFailure = 125 // dsh failed, and the command did not run
	statusSignal  = 128 // plus the number of the signal
)

// exitError ends the program with a status of its own. A nil err prints
// nothing: what there was to say has been said.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// asExit returns how err ends the program. What says nothing of it is dsh's
// own failure.
func asExit(err error) *exitError {
	var exit *exitError
	if errors.As(err, &exit) {
		return exit
	}
	return &exitError{status: statusFailure, err: err}
}

// usageError names the command whose help would have helped.
func usageError(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())
}

// oneLine returns err's message as the one line that dsh says of its failure.
func oneLine(err error) string {
	return "dsh: " + strings.Join(strings.Fields(err.Error()), " ")
}
