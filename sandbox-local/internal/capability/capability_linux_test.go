package capability

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// onThread runs f on a thread that ends with it.
func onThread(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() { // the main thread does not end
			err := onThread(f)
			runtime.UnlockOSThread()
			done <- err
			return
		}
		done <- f()
	}()
	return <-done
}

// sets are the capabilities of a thread, as proc(5) shows them.
type sets struct{ inheritable, permitted, effective, bounding, ambient Set }

func ofThread() (s sets, err error) {
	status, err := os.ReadFile("/proc/thread-self/status")
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(string(status)) {
		for prefix, set := range map[string]*Set{
			"CapInh:": &s.inheritable, "CapPrm:": &s.permitted,
			"CapEff:": &s.effective, "CapBnd:": &s.bounding, "CapAmb:": &s.ambient,
		} {
			if value, ok := strings.CutPrefix(line, prefix); ok {
				if _, err := fmt.Sscanf(value, "%x", set); err != nil {
					return s, err
				}
			}
		}
	}
	return s, nil
}

func TestDropLeavesWhatIsKept(t *testing.T) {
	before, err := ofThread()
	if err != nil {
		t.Fatal(err)
	}
	if before.permitted == 0 {
		t.Skip("nothing to drop")
	}
	dropFrom := func(numbers ...uintptr) func() error {
		return func() error {
			for _, number := range numbers {
				if err := unix.Prctl(unix.PR_CAPBSET_DROP, number, 0, 0, 0); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for name, prepare := range map[string]func() error{
		"as started":             func() error { return nil },
		"a smaller bounding set": dropFrom(unix.CAP_SYS_ADMIN, unix.CAP_SYS_MODULE, unix.CAP_KILL),
		"fewer in effect":        func() error { return set(Kept() | setPCap | 1<<unix.CAP_MKNOD) },
		"nothing to drop, nor a right to": func() error {
			data, err := get()
			return errors.Join(err, dropBounding(effective(data)), set(Kept()|1<<unix.CAP_SYS_ADMIN))
		},
		"something ambient":       makeAmbient,
		"dropped already":         Drop,
		"dropped, and less still": func() error { return errors.Join(Drop(), set(1<<unix.CAP_CHOWN)) },
	} {
		t.Run(name, func(t *testing.T) {
			var prepared, after sets
			err := onThread(func() (err error) {
				if err := prepare(); err != nil {
					return err
				}
				if prepared, err = ofThread(); err != nil {
					return err
				}
				if err := Drop(); err != nil {
					return err
				}
				after, err = ofThread()
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			kept := prepared.permitted & Kept()
			want := sets{permitted: kept, effective: kept, bounding: prepared.bounding & Kept()}
			if after != want {
				t.Errorf("%+v, want %+v", after, want)
			}
		})
	}
	if after, err := ofThread(); err != nil || after != before {
		t.Errorf("another thread: %+v, %v, want %+v", after, err, before)
	}
}

// makeAmbient has what is kept survive the execve(2) of any program.
func makeAmbient() error {
	data, err := get()
	if err != nil {
		return err
	}
	data[0].Inheritable = uint32(Kept())
	if err := unix.Capset(header(), &data[0]); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, unix.CAP_CHOWN, 0, 0)
}

// What the thread may not drop from the bounding set a program could regain.
func TestDropFailsWhereTooMuchIsLeft(t *testing.T) {
	if before, err := ofThread(); err != nil || before.permitted == 0 || before.bounding&^Kept() == 0 {
		t.Skipf("nothing to drop: %+v, %v", before, err)
	}
	err := onThread(func() error {
		if err := set(Kept() | 1<<unix.CAP_SYS_ADMIN); err != nil {
			return err
		}
		return Drop()
	})
	if !errors.Is(err, unix.EPERM) {
		t.Errorf("%v", err)
	}
}

// BenchmarkDrop is what dropping adds to a start.
func BenchmarkDrop(b *testing.B) {
	var spent time.Duration
	for b.Loop() {
		err := onThread(func() error {
			start := time.Now()
			err := Drop()
			spent += time.Since(start)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/drop")
}
