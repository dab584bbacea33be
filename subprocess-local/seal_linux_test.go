package subprocesslocal

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
	"golang.org/x/sys/unix"
)

// leaky is a descriptor that this program would pass on to every child, as if
// it had inherited it.
func leaky(t *testing.T) int {
	t.Helper()
	file, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD, 10)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

func closesOnExec(t *testing.T, fd int) bool {
	t.Helper()
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil {
		t.Fatal(err)
	}
	return flags&unix.FD_CLOEXEC != 0
}

func TestInheritedDescriptorsAreNotPassedOn(t *testing.T) {
	service := newService(t)
	leaky(t)
	// What the listing itself opens is gone by the time each link is looked at.
	spec := bash("for f in /proc/$$/fd/*; do [ -L $f ] && echo ${f##*/}; done; true")
	standard := strings.Fields(run(t, service, spec))
	leaky(t)
	spec.Inputs, spec.Status = [][]byte{nil}, &sandbox.Status{}
	extra := strings.Fields(run(t, service, spec))
	if want := []string{"0", "1", "2"}; !slices.Equal(standard, want) {
		t.Errorf("a command has the descriptors %v, want %v", standard, want)
	}
	if want := []string{"0", "1", "2", "3", "4"}; !slices.Equal(extra, want) {
		t.Errorf("with an input and a status it has %v, want %v", extra, want)
	}
}

func TestEveryWayToSeal(t *testing.T) {
	for name, seal := range map[string]func(){
		"the system's own way": sealDescriptors,
		"one by one":           func() { sealEach("/proc/self/fd") },
		"without a listing":    func() { sealEach("/no/such/directory") },
	} {
		fd := leaky(t)
		if seal(); !closesOnExec(t, fd) {
			t.Errorf("%s: a descriptor is passed on", name)
		}
		for _, standard := range []int{0, 1, 2} {
			if closesOnExec(t, standard) {
				t.Errorf("%s: descriptor %d is sealed", name, standard)
			}
		}
	}
}

func TestInheritedStreamsAreThisPrograms(t *testing.T) {
	service := newService(t)
	spec := bash("one=$(readlink /proc/$$/fd/1) two=$(readlink /proc/$$/fd/2); printf '%s\\n' $one $two >&3")
	spec.Stdout.Mode, spec.Stderr.Mode = subprocess.Inherit, subprocess.Inherit
	spec.Status = &sandbox.Status{}
	p := start(t, service, spec)
	finish(t, p)
	want := ""
	for _, fd := range []int{1, 2} {
		link, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		if err != nil {
			t.Fatal(err)
		}
		want += link + "\n"
	}
	if got := string(p.StatusReport()); got != want {
		t.Errorf("the streams are %q, want %q", got, want)
	}
	if p.Stdout() != nil || p.Pipes() != (subprocess.Pipes{}) {
		t.Error("an inherited stream has a reader or a pipe")
	}
}

// startWithoutStandardStreams is a program that closed its standard streams, so
// that new descriptors get their numbers.
func startWithoutStandardStreams() error {
	var service Service
	defer service.Close(testContext)
	// The first start makes what the runtime needs, above the standard streams.
	if _, err := printedBy(&service, bash(":")); err != nil {
		return err
	}
	saved, err := unix.Dup(1)
	if err != nil {
		return err
	}
	for _, fd := range []int{0, 1, 2} {
		unix.Close(fd)
	}
	defer unix.Dup3(saved, 1, 0)
	// A write to a broken pipe that is this program's standard output would
	// end it.
	for range 20 { // it may be closed before it breaks
		unwanted := bash("exit 0")
		unwanted.Stdin = strings.NewReader(strings.Repeat("x", 1<<20))
		if _, err := printedBy(&service, unwanted); err != nil {
			return err
		}
	}
	through := bash("cat; echo e >&2")
	through.Stdin = strings.NewReader("through")
	out, err := printedBy(&service, through)
	if err == nil && out != "throughe\n" {
		err = fmt.Errorf("the command printed %q", out)
	}
	return err
}

// printedBy is what a command prints on both streams.
func printedBy(service *Service, spec subprocess.Spec) (string, error) {
	handle, err := service.Start(testContext, spec)
	if err != nil {
		return "", err
	}
	_, err = handle.Outcome()
	return handle.Stdout().ReadFrom(0).Text + handle.Stderr().ReadFrom(0).Text, err
}

func TestAProgramWithoutStandardStreams(t *testing.T) {
	if printed := runHelper(t, helper(t, "closed")); printed != "" {
		t.Errorf("the command printed %s", printed)
	}
}

// readTerminal is a program with a terminal, of which its commands know
// nothing.
func readTerminal() error {
	var service Service
	defer service.Close(testContext)
	out, err := printedBy(&service, bash("read -t 20 x </dev/tty; echo rc=$?"))
	fmt.Print(out)
	return err
}

func TestACommandHasNoTerminal(t *testing.T) {
	script, err := (&Service{}).LookPath(testContext, "script", nil)
	if err != nil {
		t.Skip(err)
	}
	cmd := helper(t, "tty")
	cmd.Args = []string{script, "-qec", cmd.Path, "/dev/null"}
	cmd.Path = script
	printed := runHelper(t, cmd)
	if !strings.HasPrefix(printed, "rc=1\n") || !strings.Contains(printed, "/dev/tty") {
		t.Errorf("%q", printed)
	}
}
