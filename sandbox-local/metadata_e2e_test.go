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

	"github.com/google/go-cmp/cmp"
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

// everyAttempt are all of them, those on mounts from namespaces, too.
func everyAttempt() []string {
	return append(slices.Sorted(maps.Keys(attempts)), "nested remount", "nested mount_setattr", "nested open_tree")
}

// tried is what became of attempts from inside a sandbox.
type tried struct {
	results map[string]string
	report  sandbox.Report
}

func (r tried) went(name string) bool { return r.results[name] == wentThrough }

// lacks reports whether the kernel does not have the attempt's system call.
func (r tried) lacks(name string) bool { return r.results[name] == unix.ENOSYS.Error() }

// try has the test binary attempt changes from inside the sandbox.
func (b backend) try(t *testing.T, mode sandbox.Mode, workspace, path string, names ...string) tried {
	t.Helper()
	req := attemptRequest(t, mode, workspace, path, names)
	c, err := b.Confine(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return attempted(t, c, workspace, names)
}

// attemptRequest puts the test binary where bwrap does not hide it.
func attemptRequest(t *testing.T, mode sandbox.Mode, workspace, path string, names []string) sandbox.Request {
	t.Helper()
	binary := filepath.Join(workspace, "attempt.test")
	if !exists(binary) {
		copyProgram(t, binary)
	}
	return sandbox.Request{
		Argv: append([]string{binary, attemptArg, path}, names...), Dir: workspace, Host: able,
		Policy: sandbox.Policy{Mode: mode, WorkspaceRoot: workspace},
	}
}

func attempted(t *testing.T, c *sandbox.Confinement, workspace string, names []string) tried {
	t.Helper()
	got := spawn(t, c, workspace)
	if got.code != 0 || !strings.HasSuffix(got.stdout, lastLine+"\n") {
		t.Fatalf("the attempts did not come to their end: %+v", got)
	}
	r := tried{make(map[string]string), c.Report}
	for line := range strings.Lines(got.stdout) {
		if name, result, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			r.results[name] = result
		}
	}
	for _, name := range names {
		if r.results[name] == "" {
			t.Fatalf("%s: no result in %q", name, got.stdout)
		}
	}
	return r
}

func TestE2EReadOnlyRefusesEveryAttempt(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		path := victim(t, p)
		before := identity(t, path)
		got := b.try(t, sandbox.ReadOnly, p.workspace, path, everyAttempt()...)
		for _, gap := range got.report.Gaps {
			if gap.Place != sandbox.PlaceDev { // an older kernel may have one there
				t.Errorf("%v", gap)
			}
		}
		for name := range got.results {
			// Making a ring changes nothing. It is refused where a filter, which
			// cannot look into it, stands for what the mounts do.
			harmless := name == "io_uring" && b.name == Bwrap && os.Geteuid() != 0
			// A namespace may copy the tree: the copy stays read-only.
			harmless = harmless || name == "nested open_tree" && b.name == Bwrap && os.Geteuid() != 0
			if got.went(name) && !harmless {
				t.Errorf("%s went through", name)
			}
		}
		if after := identity(t, path); after != before {
			t.Errorf("the file changed\nfrom %s\nto   %s", before, after)
		}
	})
}

func TestE2EReadOnlyKeepsTheHostsDeviceNodes(t *testing.T) {
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		got := b.try(t, sandbox.ReadOnly, p.workspace, os.DevNull,
			"chmod", "chown", "utimensat", "touch", "acl", "fchmodat2", "fchmod", "futimens")
		for name := range got.results {
			if got.went(name) {
				t.Errorf("%s went through", name)
			}
		}
		worked, _ := b.run(t, sandbox.ReadOnly, p.workspace,
			`echo x >/dev/null && cat /dev/null && head -c1 /dev/urandom >/dev/null`)
		if worked.code != 0 {
			t.Errorf("the devices do not work: %+v", worked)
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
		"nested remount": sandbox.EffectRemount, "nested mount_setattr": sandbox.EffectRemount,
		"device node": sandbox.EffectDeviceNode, "link away": sandbox.EffectHardLink,
		"sethostname": sandbox.EffectKernelSetting,
	}
	if os.Geteuid() == 0 {
		effects["chown"] = sandbox.EffectOwner
	}
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		got := b.try(t, sandbox.WorkspaceWrite, p.workspace, victim(t, p), slices.Sorted(maps.Keys(effects))...)
		for name, effect := range effects {
			named := got.names(effect, sandbox.PlaceOutside)
			if got.went(name) != named && !got.lacks(name) {
				t.Errorf("%s: %s, named as a gap %v", name, got.results[name], named)
			}
		}
	})
}

// names reports whether the report has a gap for the effect.
func (r tried) names(effect sandbox.Effect, place sandbox.Place) bool {
	return slices.ContainsFunc(r.report.Gaps, func(gap sandbox.Gap) bool { return gap.Covers(effect, place) })
}

// TestE2EWorkspaceWriteGapsInSystemPlaces does the same for the nodes in /dev
// and the entries of /proc.
func TestE2EWorkspaceWriteGapsInSystemPlaces(t *testing.T) {
	effects := map[string]sandbox.Effect{
		"chmod": sandbox.EffectMode, "chown": sandbox.EffectOwner,
		"touch": sandbox.EffectTimes, "acl": sandbox.EffectXattr, "label": sandbox.EffectXattr,
		"setflags": sandbox.EffectInodeFlags,
	}
	shared, err := os.CreateTemp("/dev/shm", "dsh-sandbox-")
	if err != nil {
		t.Skip(err)
	}
	defer os.Remove(shared.Name())
	defer shared.Close()
	targets := map[sandbox.Place][]string{
		sandbox.PlaceDev:  {os.DevNull, shared.Name()},
		sandbox.PlaceProc: {"/proc/version", "/proc/" + itoa(os.Getpid()) + "/status"},
	}
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		for place, paths := range targets {
			went, named := make(map[sandbox.Effect]bool), make(map[sandbox.Effect]bool)
			for _, path := range paths {
				got := b.try(t, sandbox.WorkspaceWrite, p.workspace, path, slices.Sorted(maps.Keys(effects))...)
				for name, effect := range effects {
					went[effect] = went[effect] || got.went(name)
					named[effect] = got.names(effect, place)
				}
			}
			if os.Geteuid() != 0 {
				delete(went, sandbox.EffectOwner) // to the owner that it has
				delete(named, sandbox.EffectOwner)
			}
			if diff := cmp.Diff(named, went); diff != "" {
				t.Errorf("%s (-named +went through):\n%s", place, diff)
			}
		}
	})
}
