package subprocesslocal

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// oldKernelVariable has a re-executed test binary do without what came with
// newer kernels.
const oldKernelVariable = "SUBPROCESSLOCAL_TEST_OLD_KERNEL"

// pretendOldKernel installs a system-call filter for this program and its
// children under which the kernel does not have close_range and faccessat2
// (before 5.9 and 5.8) and cannot signal a group through a pidfd (before 6.9).
func pretendOldKernel() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	const (
		number = 0       // offsets into struct seccomp_data
		flags  = 16 + 24 // low word of the fourth argument, little-endian
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		answer = unix.BPF_RET | unix.BPF_K
		errno  = unix.SECCOMP_RET_ERRNO
	)
	program := []unix.SockFilter{
		{Code: load, K: number},
		{Code: equal, K: unix.SYS_CLOSE_RANGE, Jt: 5},
		{Code: equal, K: unix.SYS_FACCESSAT2, Jt: 4},
		{Code: equal, K: unix.SYS_PIDFD_SEND_SIGNAL, Jf: 2},
		{Code: load, K: flags},
		{Code: equal, K: unix.PIDFD_SIGNAL_PROCESS_GROUP, Jt: 2},
		{Code: answer, K: unix.SECCOMP_RET_ALLOW},
		{Code: answer, K: errno | uint32(unix.ENOSYS)},
		{Code: answer, K: errno | uint32(unix.EINVAL)},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&filter)))
	if failed != 0 {
		return failed
	}
	return nil
}

// TestOnAnOlderKernel runs the tests of behaviour again, where the fallbacks
// must do.
func TestOnAnOlderKernel(t *testing.T) {
	if os.Getenv(oldKernelVariable) != "" {
		t.Skip("this is the older kernel")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run", "OlderKernelIsOne|Conformance|Terminate|Close|Daemon|Storm|Stopped|Stubborn|Descriptors|Vanishing|Escape")
	cmd.Env = append(os.Environ(), oldKernelVariable+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTheOlderKernelIsOne(t *testing.T) {
	if os.Getenv(oldKernelVariable) == "" {
		t.Skip("for the re-executed test binary")
	}
	if err := unix.CloseRange(firstFD, firstFD, unix.CLOSE_RANGE_CLOEXEC); err != unix.ENOSYS {
		t.Errorf("close_range: %v", err)
	}
	service := newService(t)
	p := start(t, service, bash("sleep 30"))
	p.tree.leader.mu.Lock()
	err := p.tree.leader.signalByPidfd(0)
	p.tree.leader.mu.Unlock()
	if err != errNoGroupSignal {
		t.Errorf("a group is signalled through a pidfd: %v", err)
	}
}
