package subprocess

import (
	"errors"
	"strings"
	"testing"
)

func TestValidateNamesWhatIsWrong(t *testing.T) {
	good := Spec{Argv: []string{"/bin/true"}, Dir: "/"}
	tests := []struct {
		name  string
		spoil func(*Spec)
		field string
		want  error
	}{
		{"no argv", func(s *Spec) { s.Argv = nil }, "Argv", ErrEmpty},
		{"relative program", func(s *Spec) { s.Argv = []string{"true"} }, "Argv", ErrNotAbsolute},
		{"NUL in an argument", func(s *Spec) { s.Argv = []string{"/bin/echo", "x\x00y"} }, "Argv", ErrNUL},
		{"no directory", func(s *Spec) { s.Dir = "" }, "Dir", ErrNotAbsolute},
		{"relative directory", func(s *Spec) { s.Dir = "x" }, "Dir", ErrNotAbsolute},
		{"NUL in the directory", func(s *Spec) { s.Dir = "/x\x00" }, "Dir", ErrNUL},
		{"NUL in a value", func(s *Spec) { s.Env = map[string]string{"A": "x\x00"} }, "Env", ErrNUL},
		{"NUL in a name", func(s *Spec) { s.Env = map[string]string{"A\x00": "x"} }, "Env", ErrNUL},
		{"no name", func(s *Spec) { s.Env = map[string]string{"": "x"} }, "Env", ErrEmpty},
		{"equals in a name", func(s *Spec) { s.Env = map[string]string{"A=B": "x"} }, "Env", ErrEqualsInName},
		{"unmanaged name", func(s *Spec) { s.Managed = map[string]string{"A": "x"} }, "Managed", ErrNotManaged},
		{"two inputs", func(s *Spec) { s.Stdin, s.StdinPipe = strings.NewReader(""), true }, "Stdin", ErrBothInputs},
		{"negative grace", func(s *Spec) { s.Grace = -1 }, "Grace", ErrNegative},
		{"negative window", func(s *Spec) { s.Stdout.MaxBytes = -1 }, "Stdout", ErrNegative},
		{"negative spill", func(s *Spec) { s.Stderr.Spill = &Spill{MaxBytes: -1} }, "Stderr", ErrNegative},
		{"unknown output mode", func(s *Spec) { s.Stderr.Mode = 7 }, "Stderr", ErrOutputMode},
	}
	if err := good.Validate(); err != nil {
		t.Fatalf("a good spec: %v", err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := good
			tt.spoil(&spec)
			err := spec.Validate()
			var invalid *InvalidSpecError
			if !errors.As(err, &invalid) || invalid.Field != tt.field || !errors.Is(err, tt.want) {
				t.Errorf("Validate = %v, want field %s and %v", err, tt.field, tt.want)
			}
		})
	}
}

func TestErrorsNeverQuoteAValueOfAVariable(t *testing.T) {
	spec := Spec{Argv: []string{"/bin/true"}, Dir: "/", Env: map[string]string{"A": "hush\x00"}}
	if message := spec.Validate().Error(); strings.Contains(message, "hush") {
		t.Errorf("message %q quotes the value", message)
	}
}

func TestStartErrorNamesWhatIsAtFault(t *testing.T) {
	reason := errors.New("reason")
	tests := map[Stage]string{
		StageValidate:  `subprocess: cannot start "/p": reason`,
		StageDirectory: `subprocess: cannot start in "/d": reason`,
		StageRestrict:  `subprocess: cannot restrict the thread that starts "/p": reason`,
		StageExec:      `subprocess: cannot start "/p": reason`,
	}
	for stage, want := range tests {
		err := &StartError{Stage: stage, Program: "/p", Dir: "/d", Err: reason}
		if err.Error() != want || !errors.Is(err, reason) {
			t.Errorf("%s: %q, want %q", stage, err, want)
		}
	}
}

func TestTooLongErrorStatesSizeAndLimit(t *testing.T) {
	err := &TooLongError{Field: "Argv", Bytes: 131073, Limit: 131072}
	if want := "Argv is too long for the kernel: 131073 bytes, and the limit is 131072"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if !errors.Is(err, ErrTooLong) {
		t.Error("is not ErrTooLong")
	}
	unknown := &TooLongError{Field: "Argv and Env", Bytes: 9}
	if want := "Argv and Env is too long for the kernel: 9 bytes"; unknown.Error() != want {
		t.Errorf("%q, want %q", unknown, want)
	}
}

func TestInvalidSpecErrorShortensLongValues(t *testing.T) {
	err := &InvalidSpecError{Field: "Argv", Value: strings.Repeat("x", 1000), Err: ErrNUL}
	if len(err.Error()) > 120 {
		t.Errorf("message has %d bytes", len(err.Error()))
	}
}
