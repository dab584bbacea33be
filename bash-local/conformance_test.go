package bashlocal_test

import (
	"testing"

	bashlocal "github.com/dsh-go/dsh/bash-local"
	"github.com/dsh-go/dsh/bash/bashtest"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
)

func TestConformance(t *testing.T) {
	bashtest.Run(t, bashtest.Options{Open: open})
}

func open(t *testing.T, s bashtest.Settings) bashtest.Fixture {
	t.Helper()
	procs := &subprocesslocal.Service{}
	executor, err := bashlocal.New(bashlocal.Config{
		Workdir:    s.Workdir,
		Timeout:    s.Timeout,
		MaxTimeout: s.MaxTimeout,
		Grace:      s.Grace,
		MaxBytes:   s.MaxBytes,
		SpillBytes: s.SpillBytes,
	}, procs)
	if err != nil {
		t.Fatal(err)
	}
	return bashtest.Fixture{Executor: executor, Close: procs.Close}
}
