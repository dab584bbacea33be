//go:build linux

package sandboxlocal

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/dsh-go/dsh/sandbox"
)

// identity is everything about a file that an attempt could change.
func identity(t *testing.T, path string) string {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		t.Fatal(err)
	}
	names := make([]byte, 1024)
	n, err := unix.Listxattr(path, names)
	if err != nil && !errors.Is(err, unix.ENOTSUP) {
		t.Fatal(err)
	}
	return fmt.Sprintf("mode %o owner %d:%d size %d links %d mtime %v ctime %v xattr %q flags %#x",
		st.Mode, st.Uid, st.Gid, st.Size, st.Nlink, st.Mtim, st.Ctim, bytes.TrimRight(names[:max(n, 0)], "\x00"), inodeFlags(path))
}

func inodeFlags(path string) uint32 {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var flags uint32
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.FS_IOC_GETFLAGS, uintptr(unsafe.Pointer(&flags)))
	return flags
}

// victim is a file outside the workspace with an extended attribute.
func victim(t *testing.T, p places) string {
	t.Helper()
	path := filepath.Join(p.outside, "victim")
	write(t, path, "kept")
	if err := unix.Setxattr(path, "user.kept", []byte("1"), 0); err != nil {
		t.Logf("no extended attributes here: %v", err)
	}
	return path
}

// try has the test binary attempt a change from inside the sandbox.
func (b backend) try(t *testing.T, mode sandbox.Mode, workspace, name, path string) (outcome, *sandbox.Confinement) {
	t.Helper()
	// bwrap hides the test binary, which lies beneath /tmp.
	binary := filepath.Join(workspace, "attempt.test")
	if !exists(binary) {
		copyProgram(t, binary)
	}
	c, err := b.Confine(t.Context(), sandbox.Request{
		Argv: []string{binary, attemptArg, name, path}, Dir: workspace, Host: able,
		Policy: sandbox.Policy{Mode: mode, WorkspaceRoot: workspace},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := spawn(t, c, workspace)
	if !strings.HasSuffix(got.stdout, "attempted\n") {
		t.Fatalf("%s: the attempt did not come to its end: %+v", name, got)
	}
	return got, c
}

func TestE2EReadOnlyRefusesEveryAttempt(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		path := victim(t, p)
		for _, name := range slices.Sorted(maps.Keys(attempts)) {
			before := identity(t, path)
			got, c := b.try(t, sandbox.ReadOnly, p.workspace, name, path)
			if c.Report.Enforcement != sandbox.Full {
				t.Fatalf("%v", c.Report)
			}
			// Making a ring changes nothing. It is refused where a filter, which
			// cannot look into it, stands for what the mounts do.
			harmless := name == "io_uring" && b.name == Bwrap && os.Geteuid() != 0
			if got.code != 0 && !harmless {
				t.Errorf("%s: exit %d: %s", name, got.code, got.stdout)
			}
			if after := identity(t, path); after != before {
				t.Errorf("%s changed the file\nfrom %s\nto   %s", name, before, after)
			}
		}
	})
}

func TestE2EReadOnlyKeepsTheHostsDeviceNodes(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		for _, name := range []string{"chmod", "chown", "utimensat", "acl", "fchmodat2", "fchmod", "futimens"} {
			if got, _ := b.try(t, sandbox.ReadOnly, p.workspace, name, os.DevNull); got.code != 0 {
				t.Errorf("%s: exit %d, %s", name, got.code, got.stdout)
			}
		}
		got, _ := b.run(t, sandbox.ReadOnly, p.workspace, `echo x >/dev/null && cat /dev/null && head -c1 /dev/urandom >/dev/null`)
		if got.code != 0 {
			t.Errorf("the devices do not work: %+v", got)
		}
	})
}

// TestE2EWorkspaceWriteGapsAreReal tries the effects that the report names
// outside the workspace, and those that it does not.
func TestE2EWorkspaceWriteGapsAreReal(t *testing.T) {
	effects := map[string]sandbox.Effect{
		"chmod": sandbox.EffectMode, "utimensat": sandbox.EffectTimes, "setxattr": sandbox.EffectXattr,
		"setflags": sandbox.EffectInodeFlags, "fchmodat2": sandbox.EffectMode, "file_setattr": sandbox.EffectInodeFlags,
		"truncate": sandbox.EffectTruncate, "O_TRUNC": sandbox.EffectTruncate, "O_TRUNC|3": sandbox.EffectTruncate,
		"remount": sandbox.EffectRemount, "mount_setattr": sandbox.EffectRemount, "by handle": sandbox.EffectOpenByHandle,
		"nested remount": sandbox.EffectRemount, "device node": sandbox.EffectDeviceNode,
		"link away": sandbox.EffectHardLink,
	}
	if os.Geteuid() == 0 {
		effects["chown"] = sandbox.EffectOwner
	}
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		for _, name := range slices.Sorted(maps.Keys(effects)) {
			path := victim(t, p)
			got, c := b.try(t, sandbox.WorkspaceWrite, p.workspace, name, path)
			named := slices.ContainsFunc(c.Report.Gaps, func(gap sandbox.Gap) bool {
				return gap.Covers(effects[name], sandbox.PlaceOutside)
			})
			if went := got.code == attemptSucceeded; went != named {
				t.Errorf("%s: went through %v, named as a gap %v (%s)", name, went, named, got.stdout)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestE2EWorkspaceWriteGapsInSystemPlaces does the same for the nodes in /dev
// and the entries of /proc.
func TestE2EWorkspaceWriteGapsInSystemPlaces(t *testing.T) {
	effects := map[string]sandbox.Effect{"chmod": sandbox.EffectMode, "chown": sandbox.EffectOwner,
		"utimensat": sandbox.EffectTimes, "acl": sandbox.EffectXattr, "setflags": sandbox.EffectInodeFlags}
	shared, err := os.CreateTemp("/dev/shm", "dsh-sandbox-")
	if err != nil {
		t.Skip(err)
	}
	defer os.Remove(shared.Name())
	defer shared.Close()
	targets := map[sandbox.Place][]string{
		sandbox.PlaceDev: {os.DevNull, shared.Name()}, sandbox.PlaceProc: {"/proc/version", "/proc/" + itoa(os.Getpid()) + "/status"}}
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		for place, paths := range targets {
			for name, effect := range effects {
				var went, named bool
				for _, path := range paths {
					got, c := b.try(t, sandbox.WorkspaceWrite, p.workspace, name, path)
					went = went || got.code == attemptSucceeded
					named = slices.ContainsFunc(c.Report.Gaps, func(gap sandbox.Gap) bool { return gap.Covers(effect, place) })
				}
				harmless := name == "chown" && os.Geteuid() != 0 // to the owner that it has
				if went != named && !harmless {
					t.Errorf("%s in %s: went through %v, named as a gap %v", name, place, went, named)
				}
			}
		}
	})
}
