package subprocesslocal

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
)

// helperVariable names the helper that a re-executed test binary is to be.
const helperVariable = "SUBPROCESSLOCAL_TEST_HELPER"

// lastLine ends the output of a helper that did everything it was to do.
const lastLine = "helper done"

// helpers are programs that need a process of their own.
var helpers = map[string]func() error{
	"adopt":   adoptOrphans,
	"idle":    idleProcesses,
	"nest":    nestServices,
	"yes":     collectYes,
	"tty":     readTerminal,
	"closed":  startWithoutStandardStreams,
	"subreap": becomeSubreaper,
	"silent":  startInSilence,
}

func TestMain(m *testing.M) {
	if os.Getenv(oldKernelVariable) != "" {
		if err := pretendOldKernel(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	name := os.Getenv(helperVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := helpers[name](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(lastLine)
}

// helper is a command that runs a helper, behind the words of prefix.
func helper(t *testing.T, name string, prefix ...string) *exec.Cmd {
	t.Helper()
	if helpers[name] == nil {
		t.Fatalf("there is no helper %q", name)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	argv := append(prefix, self)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), helperVariable+"="+name)
	return cmd
}

// runHelper runs a helper to its last line and returns what it printed before.
func runHelper(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	printed, ok := strings.CutSuffix(strings.ReplaceAll(out.String(), "\r\n", "\n"), lastLine+"\n")
	if err != nil || !ok {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out.String())
	}
	return printed
}

const tooLong = 30 * time.Second

// newService is a service that is closed, and must leave nothing behind, when
// the test ends.
func newService(t testing.TB) *Service {
	t.Helper()
	checkLeaks(t)
	service := &Service{}
	t.Cleanup(func() { closeService(t, service) })
	return service
}

func closeService(t testing.TB, service *Service) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), tooLong)
	defer cancel()
	if err := service.Close(ctx); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func bash(script string) subprocess.Spec {
	return subprocess.Spec{
		Argv:   []string{"/bin/bash", "-c", script},
		Dir:    "/",
		Stdout: subprocess.Output{MaxBytes: 64_000},
		Stderr: subprocess.Output{MaxBytes: 64_000},
		Grace:  300 * time.Millisecond,
	}
}

func start(t testing.TB, service *Service, spec subprocess.Spec) *process {
	t.Helper()
	handle, err := service.Start(context.Background(), spec)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	return handle.(*process)
}

func finish(t testing.TB, p subprocess.Handle) subprocess.Outcome {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(tooLong):
		t.Fatalf("not done after %v", tooLong)
	}
	outcome, err := p.Outcome()
	if err != nil {
		t.Fatalf("Outcome: %v", err)
	}
	return outcome
}

// run runs a script to its end and returns its standard output.
func run(t testing.TB, service *Service, spec subprocess.Spec) string {
	t.Helper()
	p := start(t, service, spec)
	if outcome := finish(t, p); outcome.ExitCode != 0 {
		t.Fatalf("%+v, stderr %q", outcome, p.Stderr().ReadFrom(0).Text)
	}
	return p.Stdout().ReadFrom(0).Text
}

func waitTree(t testing.TB, p subprocess.Handle) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), tooLong)
	defer cancel()
	if err := p.WaitTree(ctx); err != nil {
		t.Fatalf("WaitTree: %v", err)
	}
}

// until polls a condition.
func until(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(tooLong); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen within %v", what, tooLong)
		}
	}
}

// printed waits until p has printed n words and returns them.
func printed(t testing.TB, p subprocess.Handle, n int) []string {
	t.Helper()
	var words []string
	until(t, fmt.Sprintf("the output of %d words", n), func() bool {
		words = strings.Fields(p.Stdout().ReadFrom(0).Text)
		return len(words) >= n
	})
	return words
}
