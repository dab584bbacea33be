package bashtool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// ArgumentError is a call whose arguments cannot be used. Nothing was run and
// nobody was asked.
type ArgumentError struct {
	// Argument is the one at fault, or empty if they are none of it.
	Argument string
	// Err is the reason, never nil.
	Err error
}

// Error names the argument and the reason.
func (e *ArgumentError) Error() string {
	if e.Argument == "" {
		return fmt.Sprintf("invalid arguments: %v", e.Err)
	}
	return fmt.Sprintf("invalid argument %s: %v", e.Argument, e.Err)
}

// Unwrap returns the reason.
func (e *ArgumentError) Unwrap() error { return e.Err }

// The reasons inside an [*ArgumentError].
var (
	ErrNotObject   = errors.New("they must be one JSON object")
	ErrUnknown     = errors.New("there is no such argument")
	ErrWrongType   = errors.New("it has the wrong type")
	ErrBlank       = errors.New("it must not be blank")
	ErrSeveral     = errors.New("it must be one line")
	ErrNotPositive = errors.New("it must be a positive whole number of milliseconds")
)

// arguments are those of the bash tool.
type arguments struct {
	Command            string
	Description        string
	TimeoutMs          int64
	Workdir            string
	RunInBackground    bool
	SandboxPermissions string
	Justification      string

	escalate sandbox.Mode // what is asked for; empty if nothing is
}

// argument is one field of a call: where it goes, and whether it is given.
type argument struct {
	name  string
	into  any
	given bool
}

// decode reads a call's arguments strictly: a field that is not known, is
// given twice or has the wrong type is an error that names it, so that nothing
// is run that was meant otherwise. A null is as if the field were absent.
func decode(raw json.RawMessage, fields []argument) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return &ArgumentError{Err: ErrNotObject}
	}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return &ArgumentError{Err: ErrNotObject}
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return &ArgumentError{Err: ErrNotObject}
		}
		if err := assign(fields, name, value); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return &ArgumentError{Err: ErrNotObject}
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return &ArgumentError{Err: ErrNotObject}
	}
	return nil
}

func assign(fields []argument, name string, value json.RawMessage) error {
	for i := range fields {
		f := &fields[i]
		if f.name != name {
			continue
		}
		if string(value) == "null" {
			return nil
		}
		if f.given || json.Unmarshal(value, f.into) != nil {
			return &ArgumentError{Argument: name, Err: ErrWrongType}
		}
		f.given = true
		return nil
	}
	return &ArgumentError{Argument: name, Err: ErrUnknown}
}

// parse reads and validates the arguments of a call.
func (t *Tool) parse(raw json.RawMessage) (arguments, error) {
	var a arguments
	fields := []argument{
		{name: "command", into: &a.Command},
		{name: "description", into: &a.Description},
		{name: "timeoutMs", into: &a.TimeoutMs},
		{name: "workdir", into: &a.Workdir},
		{name: "run_in_background", into: &a.RunInBackground},
	}
	if t.escalation {
		fields = append(fields,
			argument{name: "sandbox_permissions", into: &a.SandboxPermissions},
			argument{name: "justification", into: &a.Justification})
	}
	if err := decode(raw, fields); err != nil {
		return a, err
	}
	given := func(name string) bool {
		return slices.ContainsFunc(fields, func(f argument) bool { return f.name == name && f.given })
	}
	if err := a.validate(given("timeoutMs")); err != nil {
		return a, err
	}
	return a, a.validateEscalation(given("sandbox_permissions") || given("justification"))
}

func (a *arguments) validate(timeout bool) error {
	switch {
	case strings.TrimSpace(a.Command) == "":
		return &ArgumentError{Argument: "command", Err: ErrBlank}
	case strings.TrimSpace(a.Description) == "":
		return &ArgumentError{Argument: "description", Err: ErrBlank}
	case strings.ContainsAny(a.Description, "\n\r"):
		return &ArgumentError{Argument: "description", Err: ErrSeveral}
	case timeout && (a.TimeoutMs <= 0 || a.TimeoutMs > math.MaxInt64/int64(time.Millisecond)):
		return &ArgumentError{Argument: "timeoutMs", Err: ErrNotPositive}
	}
	return nil
}

// validateEscalation reads the two arguments that travel together. An empty
// string that was given is not the same as none.
func (a *arguments) validateEscalation(given bool) error {
	mode, err := sandbox.ValidateEscalation(a.SandboxPermissions, a.Justification)
	if err == nil && mode == "" && given {
		err = &sandbox.EscalationError{Err: sandbox.ErrNotEscalation}
	}
	a.escalate = mode
	return err
}
