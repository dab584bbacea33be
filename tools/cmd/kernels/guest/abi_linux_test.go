package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// askArg makes the test binary print what it takes Landlock for.
const askArg = "dsh-ask-landlock"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == askArg {
		fmt.Println(ask())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// ask gives the ABI, and what becomes of rulesets with one right each, from
// the first ABI's last to the fifth's.
func ask() string {
	answers := []string{fmt.Sprint(landlockABI())}
	for bit := 12; bit <= 15; bit++ {
		attr := [3]uint64{1 << bit}
		fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
		if errno == 0 {
			unix.Close(int(fd))
		}
		answers = append(answers, unix.ErrnoName(errno))
	}
	_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ^uintptr(0), 1, 0)
	return strings.Join(append(answers, unix.ErrnoName(errno)), " ")
}

// TestPretendABI asks from a process that was started by a thread on which
// another ABI is pretended.
func TestPretendABI(t *testing.T) {
	if landlockABI() < 5 {
		t.Skip("the kernel's own Landlock is older than those that are pretended")
	}
	for version, want := range map[int]string{
		1: "1  EINVAL EINVAL EINVAL EINVAL",
		3: "3    EINVAL EINVAL",
		5: "5     EINVAL",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var out []byte
		err := onThread(func() (err error) {
			// An ordinary user needs it for a filter; it is the thread's alone.
			if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
				return err
			}
			if err := pretendABI(ctx, version); err != nil {
				return err
			}
			out, err = exec.CommandContext(ctx, "/proc/self/exe", askArg).CombinedOutput()
			return err
		})
		cancel()
		if got := strings.TrimSuffix(string(out), "\n"); err != nil || got != want {
			t.Errorf("ABI %d: %q, want %q (%v)", version, got, want, err)
		}
	}
}

func TestPretendUnknownABI(t *testing.T) {
	if err := pretendABI(t.Context(), 6); err != errNoABI {
		t.Error(err)
	}
}

func TestCheckReadsTheCallersMemory(t *testing.T) {
	attr := make([]byte, 24)
	binary.LittleEndian.PutUint64(attr, 1<<13)
	var pinner runtime.Pinner
	pinner.Pin(&attr[0])
	defer pinner.Unpin()
	check := func(version int, size uint64) unix.Errno {
		return abis[version-1].check(os.Getpid(), uint64(uintptr(unsafe.Pointer(&attr[0]))), size)
	}
	if got := check(1, 8); got != unix.EINVAL {
		t.Errorf("a right of ABI 2 under ABI 1: %v", got)
	}
	if got := check(2, 24); got != 0 {
		t.Errorf("a longer structure with nothing in it: %v", got)
	}
	attr[16] = 1
	if got := check(5, 24); got != unix.E2BIG {
		t.Errorf("a scope under ABI 5: %v", got)
	}
	if got := abis[0].check(os.Getpid(), 8, 8); got != unix.EFAULT {
		t.Errorf("a bad address: %v", got)
	}
}
