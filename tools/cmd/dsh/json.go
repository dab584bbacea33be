package main

import (
	"encoding/json"
	"io"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/cli"
)

// jsonReporter prints one object when the command has ended.
type jsonReporter struct {
	out io.Writer
	end *cli.Ending
}

func (r *jsonReporter) observe(bash.Stream, []byte) {}

func (r *jsonReporter) conclude(result bash.Result, err error) error {
	if err != nil {
		_ = printJSON(r.out, newErrorObject(err))
		return failureOf(err, r.end)
	}
	if err := printJSON(r.out, newResultObject(result)); err != nil {
		return err
	}
	return exitOf(result, r.end)
}

func printJSON(out io.Writer, object any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(object)
}

// errorObject is printed when the command could not be run.
type errorObject struct {
	Error errorFacts `json:"error"`
}

type errorFacts struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func newErrorObject(err error) errorObject {
	return errorObject{Error: errorFacts{Code: errorCode(err), Message: err.Error()}}
}

// resultObject is printed when the command ran. A fact that does not apply is
// null.
type resultObject struct {
	ExitCode  *int           `json:"exitCode"` // null when a signal ended it
	Signal    *string        `json:"signal"`
	TimedOut  bool           `json:"timedOut"`
	Aborted   bool           `json:"aborted"`
	TimeoutMs *int64         `json:"timeoutMs"` // null when there was none
	Stdout    outputObject   `json:"stdout"`
	Stderr    outputObject   `json:"stderr"`
	Sandbox   *sandboxObject `json:"sandbox"`
}

type outputObject struct {
	Text      string  `json:"text"`
	Truncated bool    `json:"truncated"`
	SpillPath *string `json:"spillPath"`
}

type sandboxObject struct {
	Mode         sandbox.Mode `json:"mode"`
	Denied       bool         `json:"denied"`
	Enforcement  *string      `json:"enforcement"` // null when nothing confined
	Runner       *string      `json:"runner"`
	Gaps         []gapObject  `json:"gaps"`
	RunnerFailed bool         `json:"runnerFailed"`
}

type gapObject struct {
	Effect sandbox.Effect `json:"effect"`
	Place  sandbox.Place  `json:"place"`
	Reason string         `json:"reason"`
}

func newResultObject(result bash.Result) resultObject {
	object := resultObject{
		Signal:   orNull(result.Signal),
		TimedOut: result.TimedOut,
		Aborted:  result.Aborted,
		Stdout:   newOutputObject(result.Stdout),
		Stderr:   newOutputObject(result.Stderr),
		Sandbox:  newSandboxObject(result.Sandbox),
	}
	if result.Signal == "" {
		object.ExitCode = &result.ExitCode
	}
	if result.Timeout > 0 {
		ms := result.Timeout.Milliseconds()
		object.TimeoutMs = &ms
	}
	return object
}

func newOutputObject(output bash.Output) outputObject {
	return outputObject{Text: output.Text, Truncated: output.Truncated, SpillPath: orNull(output.SpillPath)}
}

func newSandboxObject(info *bash.SandboxInfo) *sandboxObject {
	if info == nil {
		return nil
	}
	return &sandboxObject{
		Mode:         info.Mode,
		Denied:       info.Denied,
		Enforcement:  orNull(string(info.Enforcement)),
		Runner:       orNull(info.Runner),
		Gaps:         gapObjects(info.Gaps),
		RunnerFailed: info.RunnerFailed,
	}
}

// gapObjects is never nil, so that no gaps are printed as an empty list.
func gapObjects(gaps []sandbox.Gap) []gapObject {
	objects := make([]gapObject, len(gaps))
	for i, gap := range gaps {
		objects[i] = gapObject(gap)
	}
	return objects
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
