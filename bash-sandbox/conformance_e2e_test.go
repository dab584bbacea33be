package bashsandbox_test

import (
	"testing"

	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/bash/bashtest"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
)

// TestConformance holds the executor to everything that an unconfined one
// does, under every mode and runner.
func TestConformance(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		for _, mode := range confining {
			t.Run(string(mode), func(t *testing.T) { conform(t, runner, mode) })
		}
	})
	t.Run(string(sandbox.DangerFullAccess), func(t *testing.T) { conform(t, sandboxlocal.Bwrap, sandbox.DangerFullAccess) })
}

func conform(t *testing.T, runner string, mode sandbox.Mode) {
	bashtest.Run(t, options(runner, mode))
}

// TestConfiningConformance holds the executor to what only one that confines
// does.
func TestConfiningConformance(t *testing.T) {
	forEachRunner(t, func(t *testing.T, runner string) {
		bashtest.RunConfining(t, options(runner, sandbox.ReadOnly))
	})
}

// options describe an executor over runner whose default is mode.
func options(runner string, mode sandbox.Mode) bashtest.Options {
	return bashtest.Options{
		Dir:                outsideTemp,
		SignalsAsExitCodes: runner == sandboxlocal.Bwrap && mode.Confines(),
		Open: func(t *testing.T, s bashtest.Settings) bashtest.Fixture {
			t.Helper()
			procs := &subprocesslocal.Service{}
			provider, err := sandboxlocal.New(sandboxlocal.Config{Runners: []string{runner}})
			if err != nil {
				t.Fatal(err)
			}
			executor, err := bashsandbox.New(bashsandbox.Config{
				Workdir:    s.Workdir,
				Timeout:    s.Timeout,
				MaxTimeout: s.MaxTimeout,
				Grace:      s.Grace,
				MaxBytes:   s.MaxBytes,
				SpillBytes: s.SpillBytes,
			}, procs, provider, policies{sandbox.Policy{Mode: mode, WorkspaceRoot: s.Workdir}})
			if err != nil {
				t.Fatal(err)
			}
			return bashtest.Fixture{Executor: executor, Close: procs.Close}
		},
	}
}
