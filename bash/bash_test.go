package bash

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// fake records what it was asked and answers with what it was told.
type fake struct {
	resolveErr error
	got        Spec
}

func (f *fake) Resolve(req Request) (Spec, error) {
	return Spec{Command: req.Command, Workdir: "/resolved"}, f.resolveErr
}

func (f *fake) Run(_ context.Context, spec Spec) (Result, error) {
	f.got = spec
	return Result{ExitCode: 7}, nil
}

func (f *fake) Start(_ context.Context, spec Spec) (Process, error) {
	f.got = spec
	return nil, nil
}

func TestRunAndStartResolveFirst(t *testing.T) {
	for name, call := range map[string]func(Executor) error{
		"Run":   func(e Executor) error { _, err := Run(t.Context(), e, Request{Command: "c"}); return err },
		"Start": func(e Executor) error { _, err := Start(t.Context(), e, Request{Command: "c"}); return err },
	} {
		f := &fake{}
		if err := call(f); err != nil || f.got.Command != "c" || f.got.Workdir != "/resolved" {
			t.Errorf("%s: got %+v, %v", name, f.got, err)
		}
		refused := &fake{resolveErr: errors.New("refused")}
		if err := call(refused); !errors.Is(err, refused.resolveErr) || refused.got.Command != "" {
			t.Errorf("%s of a request that does not resolve: %v, and ran %+v", name, err, refused.got)
		}
	}
}

func TestErrorsNameWhatIsAtFaultAndUnwrap(t *testing.T) {
	tests := []struct {
		err  error
		name string
	}{
		{&InvalidRequestError{Field: "Command", Err: os.ErrInvalid}, "Command"},
		{&WorkdirError{Dir: "/no/such", Err: os.ErrInvalid}, "/no/such"},
		{&ShellNotFoundError{Shell: "bash", Err: os.ErrInvalid}, `"bash"`},
	}
	for _, tt := range tests {
		if !strings.Contains(tt.err.Error(), tt.name) || !errors.Is(tt.err, os.ErrInvalid) {
			t.Errorf("%T: %v", tt.err, tt.err)
		}
	}
}

func TestStreamNames(t *testing.T) {
	if Stdout.String() != "stdout" || Stderr.String() != "stderr" {
		t.Errorf("%v, %v", Stdout, Stderr)
	}
}
