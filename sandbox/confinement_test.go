package sandbox

import (
	"errors"
	"testing"
)

func TestConfinementCheck(t *testing.T) {
	able := Host{FirstFD: 3, OnThread: true}
	status := &Status{Read: func([]byte) StartState { return StartUnknown }}
	onThread := &OnThread{Argv: []string{"/bin/bash"}, Restrict: func() error { return nil }}
	full := Report{Runner: "r", Enforcement: Full}
	argv := []string{"/bin/runner"}
	good := []struct {
		name string
		c    *Confinement
		host Host
	}{
		{"an argv", &Confinement{Argv: argv, Report: full}, Host{}},
		{"on the thread", &Confinement{OnThread: onThread, Report: full}, able},
		{"descriptors", &Confinement{Argv: argv, Inputs: [][]byte{nil}, Status: status, Report: full}, able},
		{"a gap", &Confinement{Argv: argv, Report: Report{Enforcement: Partial, Gaps: []Gap{{}}}}, Host{}},
	}
	for _, tt := range good {
		if err := tt.c.Check(tt.host); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	bad := []struct {
		name string
		c    *Confinement
		host Host
	}{
		{"nothing", nil, able},
		{"nothing to start", &Confinement{Report: full}, able},
		{"two things to start", &Confinement{Argv: argv, OnThread: onThread, Report: full}, able},
		{"a thread that was not offered", &Confinement{OnThread: onThread, Report: full}, Host{FirstFD: 3}},
		{"a thread with nothing to start", &Confinement{OnThread: &OnThread{Restrict: onThread.Restrict}, Report: full}, able},
		{"a thread that is not restricted", &Confinement{OnThread: &OnThread{Argv: argv}, Report: full}, able},
		{"inputs that were not offered", &Confinement{Argv: argv, Inputs: [][]byte{nil}, Report: full}, Host{OnThread: true}},
		{"a status that was not offered", &Confinement{Argv: argv, Status: status, Report: full}, Host{}},
		{"a status that cannot be read", &Confinement{Argv: argv, Status: &Status{}, Report: full}, able},
		{"full with a gap", &Confinement{Argv: argv, Report: Report{Enforcement: Full, Gaps: []Gap{{}}}}, able},
		{"partial without a gap", &Confinement{Argv: argv, Report: Report{Enforcement: Partial}}, able},
		{"no enforcement", &Confinement{Argv: argv}, able},
	}
	for _, tt := range bad {
		if err := tt.c.Check(tt.host); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
