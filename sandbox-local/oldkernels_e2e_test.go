//go:build linux

package sandboxlocal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/landlock"
	"github.com/dsh-go/dsh/sandbox-local/internal/lockdown"
	"github.com/dsh-go/dsh/sandbox-local/landlockrun"
)

// maskedKernel confines as on a kernel with an older ABI, by leaving out the
// rights that it does not know. It stands in for kernels that are not at hand.
func maskedKernel(t *testing.T, abi int) *landlockThread {
	t.Helper()
	need(t, Landlock)
	kernel, err := landlock.Detect()
	if err != nil {
		t.Fatal(err)
	}
	if kernel.ABI < abi {
		t.Skipf("the kernel's own ABI is %d", kernel.ABI)
	}
	who, err := currentLandlockCaller()
	if err != nil {
		t.Fatal(err)
	}
	kernel.ABI, kernel.ScopesSignals = abi, false
	return &landlockThread{kernel: kernel, caller: who, filter: lockdown.FilterFor(kernel)}
}

// tryMasked attempts changes under a masked kernel.
func tryMasked(t *testing.T, abi int, mode sandbox.Mode, workspace, path string, names ...string) tried {
	t.Helper()
	c, err := newCall(attemptRequest(t, mode, workspace, path, names))
	if err != nil {
		t.Fatal(err)
	}
	confinement, err := maskedKernel(t, abi).confine(c)
	if err != nil {
		t.Fatal(err)
	}
	return attempted(t, confinement, workspace, names)
}

func TestE2EMaskedTruncationByPath(t *testing.T) {
	names := []string{"O_TRUNC", "O_TRUNC|3", "truncate"}
	for abi, passes := range map[int]bool{1: true, 2: true, 3: false} {
		p := newPlaces(t)
		path := victim(t, p)
		for mode, passes := range map[sandbox.Mode]bool{sandbox.ReadOnly: false, sandbox.WorkspaceWrite: passes} {
			write(t, path, "kept")
			got := tryMasked(t, abi, mode, p.workspace, path, names...)
			for _, name := range names {
				if got.went(name) != passes {
					t.Errorf("ABI %d masked, %s: %s: %s", abi, mode, name, got.results[name])
				}
			}
			if got.names(sandbox.EffectTruncate, sandbox.PlaceOutside) != passes || (read(t, path) == "kept") == passes {
				t.Errorf("ABI %d masked, %s: %v, the file holds %q", abi, mode, got.report, read(t, path))
			}
		}
	}
}

func TestE2EMaskedRenameBetweenDirectories(t *testing.T) {
	for abi, passes := range map[int]bool{1: false, 2: true} {
		p := newPlaces(t)
		path := filepath.Join(p.workspace, "a/x")
		mkdir(t, filepath.Dir(path))
		write(t, path, "1")
		got := tryMasked(t, abi, sandbox.WorkspaceWrite, p.workspace, path, "rename across")
		if got.went("rename across") != passes || got.report.Enforcement != sandbox.Partial {
			t.Errorf("ABI %d masked: %v, %v", abi, got.results, got.report)
		}
		if !passes && got.results["rename across"] != unix.EXDEV.Error() {
			t.Errorf("ABI %d masked: %v", abi, got.results)
		}
	}
}

// A launcher is probed by starting it within itself, and may be started so by
// whoever is confined.
func TestE2EMaskedLauncherWithinTheFilter(t *testing.T) {
	p := newPlaces(t)
	for _, abi := range []int{1, 2, 3} {
		for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
			c, err := newCall(sandbox.Request{
				Argv: append(landlockrun.Command(landlockrun.Self), "--probe"), Dir: p.workspace, Host: able,
				Policy: sandbox.Policy{Mode: mode, WorkspaceRoot: p.workspace},
			})
			if err != nil {
				t.Fatal(err)
			}
			confinement, err := maskedKernel(t, abi).confine(c)
			if err != nil {
				t.Fatal(err)
			}
			if got := spawn(t, confinement, p.workspace); got.code != 0 {
				t.Errorf("ABI %d masked, %s: %+v", abi, mode, got)
			}
		}
	}
}

// withoutLandlockArg makes the test binary confine with the kernel's Landlock
// masked and without bwrap: "dsh-without-landlock WORKSPACE".
const withoutLandlockArg = "dsh-without-landlock"

// maskLandlock makes the kernel's Landlock calls answer as on a kernel that
// does not have them, for every thread of this process.
func maskLandlock() error {
	const (
		load, equal, end = 0x20, 0x15, 0x06
		createRuleset    = 444
	)
	filter := []unix.SockFilter{
		{Code: load},
		{Code: equal, K: createRuleset, Jf: 1},
		{Code: end, K: 0x00050000 | uint32(unix.ENOSYS)},
		{Code: end, K: 0x7fff0000},
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}

func confineWithoutLandlock(workspace string) int {
	if err := maskLandlock(); err != nil {
		fmt.Println(err)
		return 2
	}
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
		c, err := new(Provider).Confine(context.Background(), sandbox.Request{
			Argv: bash("touch m"), Dir: workspace, Host: able,
			Policy: sandbox.Policy{Mode: mode, WorkspaceRoot: workspace},
		})
		if c != nil || !errors.Is(err, sandbox.ErrUnavailable) {
			fmt.Printf("%s: %v, %v\n", mode, c, err)
			return 2
		}
		fmt.Println(err)
	}
	fmt.Println("refused")
	return 0
}

func TestE2ENothingUsable(t *testing.T) {
	p := newPlaces(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, withoutLandlockArg, p.workspace)
	cmd.Env = append(os.Environ(), "PATH=/nowhere")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.HasSuffix(out, []byte("\nrefused\n")) {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, text := range []string{
		"no usable sandbox for read-only mode", "no usable sandbox for workspace-write mode", "was not run unconfined",
		"bwrap: not found on PATH", "landlock: asking for the ABI version: the kernel has no Landlock", "Install bubblewrap",
	} {
		if !bytes.Contains(out, []byte(text)) {
			t.Errorf("%q is missing in\n%s", text, out)
		}
	}
	if exists(filepath.Join(p.workspace, "m")) {
		t.Error("the command ran")
	}
}
