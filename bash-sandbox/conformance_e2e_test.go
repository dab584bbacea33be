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
	forEachSetup(t, func(t *testing.T, s setup) {
		for _, mode := range confining {
			if testing.Short() && mode != sandbox.ReadOnly {
				continue // the modes differ in what may be written, which others test
			}
			t.Run(string(mode), func(t *testing.T) { bashtest.Run(t, options(s, mode)) })
		}
	})
	t.Run(string(sandbox.DangerFullAccess), func(t *testing.T) {
		bashtest.Run(t, options(setup{}, sandbox.DangerFullAccess))
	})
}

// TestConfiningConformance holds the executor to what only one that confines
// does.
func TestConfiningConformance(t *testing.T) {
	forEachSetup(t, func(t *testing.T, s setup) {
		bashtest.RunConfining(t, options(s, sandbox.ReadOnly))
	})
}

// options describe an executor over a setup whose default is mode.
func options(way setup, mode sandbox.Mode) bashtest.Options {
	return bashtest.Options{
		Dir:                outsideTemp,
		SignalsAsExitCodes: way.runner == sandboxlocal.Bwrap,
		Open: func(t *testing.T, s bashtest.Settings) bashtest.Fixture {
			t.Helper()
			procs := &subprocesslocal.Service{}
			provider, err := sandboxlocal.New(way.config)
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
