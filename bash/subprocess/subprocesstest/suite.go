package subprocesstest

import (
	"context"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
)

// Factory returns a new service. The suite closes it.
type Factory func(t *testing.T) subprocess.Service

// Run runs the suite. Every test gets a service of its own.
func Run(t *testing.T, open Factory) {
	settleRuntime()
	for _, group := range []struct {
		name  string
		tests []test
	}{
		{"Outcome", outcomeTests},
		{"Output", outputTests},
		{"Spill", spillTests},
		{"Input", inputTests},
		{"Environment", environmentTests},
		{"Refusal", refusalTests},
		{"LookPath", lookPathTests},
		{"Terminate", terminateTests},
		{"Close", closeTests},
		{"Confinement", confinementTests},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, test := range group.tests {
				t.Run(test.name, func(t *testing.T) { test.run(newFixture(t, open)) })
			}
		})
	}
}

type test struct {
	name string
	run  func(f *fixture)
}

// The bounds are far from what a healthy service needs, for a machine may be
// busy. A test that hangs runs into tooLong.
const (
	grace   = 300 * time.Millisecond
	tooLong = 30 * time.Second
	memory  = 64_000
)

// fixture is one test with its service.
type fixture struct {
	*testing.T
	service subprocess.Service
}

func newFixture(t *testing.T, open Factory) *fixture {
	before := takeHoldings()
	t.Cleanup(func() { checkHoldings(t, before) })
	f := &fixture{T: t, service: open(t)}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), tooLong)
		defer cancel()
		if err := f.service.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return f
}

// shell is a spec that runs a script and collects both streams.
func shell(script string) subprocess.Spec {
	return subprocess.Spec{
		Argv:   []string{"/bin/sh", "-c", script},
		Dir:    "/",
		Stdout: subprocess.Output{MaxBytes: memory},
		Stderr: subprocess.Output{MaxBytes: memory},
		Grace:  grace,
	}
}

// start starts spec or fails the test.
func (f *fixture) start(spec subprocess.Spec) subprocess.Handle {
	f.Helper()
	handle, err := f.service.Start(context.Background(), spec)
	if err != nil {
		f.Fatalf("Start: %v", err)
	}
	return handle
}

// finish waits for an outcome.
func (f *fixture) finish(handle subprocess.Handle) subprocess.Outcome {
	f.Helper()
	f.await(handle.Done(), "Done")
	outcome, err := handle.Outcome()
	if err != nil {
		f.Fatalf("Outcome: %v", err)
	}
	return outcome
}

// run runs spec to its end and returns what it wrote.
func (f *fixture) run(spec subprocess.Spec) (outcome subprocess.Outcome, stdout, stderr string) {
	f.Helper()
	handle := f.start(spec)
	outcome = f.finish(handle)
	return outcome, text(handle.Stdout()), text(handle.Stderr())
}

// text is all that a reader still has.
func text(r subprocess.Reader) string {
	if r == nil {
		return ""
	}
	return r.ReadFrom(0).Text
}

func (f *fixture) await(c <-chan struct{}, what string) {
	f.Helper()
	select {
	case <-c:
	case <-time.After(tooLong):
		f.Fatalf("%s did not happen within %v", what, tooLong)
	}
}

// until polls a condition.
func (f *fixture) until(what string, condition func() bool) {
	f.Helper()
	for deadline := time.Now().Add(tooLong); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.Fatalf("%s did not happen within %v", what, tooLong)
		}
	}
}

// printed waits until a stream holds a text.
func (f *fixture) printed(r subprocess.Reader, want string) {
	f.Helper()
	f.until("the output "+want, func() bool { return text(r) == want })
}

func (f *fixture) waitTree(handle subprocess.Handle) {
	f.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), tooLong)
	defer cancel()
	if err := handle.WaitTree(ctx); err != nil {
		f.Fatalf("WaitTree: %v", err)
	}
}
