package subprocesslocal

import (
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

func TestEnvironOfThisProcess(t *testing.T) {
	got := strings.Split(strings.TrimSuffix(string(readEnviron(os.Getpid(), make([]byte, 16))), "\x00"), "\x00")
	if !slices.Contains(got, "PATH="+os.Getenv("PATH")) {
		t.Errorf("environment %q", got)
	}
	if got := readEnviron(1<<23, nil); len(got) != 0 {
		t.Errorf("a process that does not exist has %q", got)
	}
}

// A process whose memory is locked for good must not stop the search for
// others.
func TestAReadThatDoesNotComeBack(t *testing.T) {
	checkLeaks(t)
	const service, id = "0123456789abcdef", "aaaaaaaaaaaaaaaa"
	stuck, other := os.Getpid(), os.Getppid()
	forever := make(chan struct{})
	var tries atomic.Int32
	r := cookieReader{service: service, read: func(pid int, buf []byte) []byte {
		if pid == stuck {
			tries.Add(1)
			<-forever
		}
		return append(buf[:0], environOf(cookieEntry(service, id))...)
	}}
	for range 3 {
		got := r.of(other, stuck, other)
		if len(got) != 3 || len(got[0]) != 1 || len(got[1]) != 0 || len(got[2]) != 1 || got[2][0] != id {
			t.Errorf("found %q", got)
		}
	}
	close(forever)
	if n := tries.Load(); n != 1 {
		t.Errorf("the stuck process was read %d times", n)
	}
}

// What is inherited is remembered, and looked at again when it changes.
func TestAStartSeesTheEnvironmentAsItIs(t *testing.T) {
	service := newService(t)
	const name = "SUBPROCESSLOCAL_TEST_AMBIENT"
	for _, want := range []string{"one", "two", "two", "one"} {
		t.Setenv(name, want)
		if got := run(t, service, bash("printf %s \"$"+name+"\"")); got != want {
			t.Errorf("the start got %q, the program has %q", got, want)
		}
	}
}
