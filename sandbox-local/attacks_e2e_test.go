//go:build linux

package sandboxlocal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dsh-go/dsh/sandbox"
)

// TestE2EAttacksUnderReadOnly has shell commands try what has got out of other
// sandboxes. "$1" is a file outside, "$2" its directory. What belongs to the
// whole host is set to what it is already, so that a sandbox that fails does
// no harm.
func TestE2EAttacksUnderReadOnly(t *testing.T) {
	attacks := map[string]string{
		"remount":                       `mount -o remount,rw / && touch "$2/new"`,
		"remount the bind":              `mount -o remount,bind,rw / && touch "$2/new"`,
		"remount from unshare -m":       `unshare -m sh -c 'mount -o remount,bind,rw / && touch "$0/new"' "$2"`,
		"remount from unshare -Urm":     `unshare -Urm sh -c 'mount -o remount,bind,rw / && touch "$0/new"' "$2"`,
		"bind from unshare -Um":         `unshare -Um sh -c 'mount --bind "$0" /mnt && touch /mnt/new' "$2"`,
		"unmount what hides the host":   `umount -l / ; touch "$2/new"`,
		"pivot to another root":         `unshare -Urm sh -c 'mount --rbind / /mnt && mkdir -p /mnt/proc && chroot /mnt touch "$0/new"' "$2"`,
		"kernel setting":                `set -e; x=$(cat /proc/sys/kernel/printk); echo "$x" >/proc/sys/kernel/printk`,
		"kernel setting, fresh proc":    `unshare -Urmpf sh -c 'x=$(cat /proc/sys/kernel/printk); mount -t proc proc /proc; echo "$x" >/proc/sys/kernel/printk'`,
		"kernel setting, other proc":    `unshare -Urmpf sh -c 'x=$(cat /proc/sys/kernel/printk); mount -t proc proc /mnt && echo "$x" >/mnt/sys/kernel/printk'`,
		"sysrq":                         `echo h >/proc/sysrq-trigger`,
		"block device":                  `mknod /dev/shm/b b 7 0 || mknod /tmp/b b 7 0 || mknod b b 7 0`,
		"existing block device":         `: <>/dev/loop0`,
		"a file in /dev":                `echo x >/dev/dsh-must-not-exist`,
		"a file in /dev/shm":            `echo x >/dev/shm/dsh-must-not-exist`,
		"mode of the null device":       `chmod a+rw /dev/null`,
		"times of the null device":      `touch -r /dev/null /dev/null`,
		"mode":                          `chmod 600 "$1"`,
		"owner":                         `chown 1:1 "$1"`,
		"times":                         `touch -d 2001-01-01 "$1"`,
		"inode flags":                   `chattr +d "$1"`,
		"mode by the link of a process": `chmod 600 /proc/self/root"$1"`,
		"cgroup":                        `mkdir /sys/fs/cgroup/unified/dsh || mkdir /sys/fs/cgroup/dsh`,
		"own process, out of memory":    `echo 5 >/proc/$PPID/oom_score_adj`,
		"trace the parent":              `exec 3<>/proc/$PPID/mem`,
	}
	onEach(t, func(t *testing.T, b backend) {
		p := newPlaces(t)
		path := victim(t, p)
		before := hostState(t, path, p.base)
		for name, script := range attacks {
			got, _ := b.run(t, sandbox.ReadOnly, p.workspace, "exec 2>&1; "+script, path, p.outside)
			if name == "own process, out of memory" && b.name == Bwrap {
				continue // the parent is the sandbox's own first process
			}
			if got.code == 0 && !(b.name == Bwrap && name == "trace the parent") {
				t.Errorf("%s went through: %s", name, got.stdout)
			}
			if after := hostState(t, path, p.base); after != before {
				t.Fatalf("%s changed the host\nfrom %s\nto   %s", name, before, after)
			}
		}
	})
}

// hostState is what the attacks are after, as far as nobody else changes it
// meanwhile.
func hostState(t *testing.T, path, base string) string {
	t.Helper()
	made := fmt.Sprint(exists("/dev/dsh-must-not-exist"), exists("/dev/shm/dsh-must-not-exist"))
	return strings.Join([]string{identity(t, path), made, strings.Join(tree(t, base), " ")}, "\n")
}

// TestE2EForeignABIIsFiltered enters the kernel as a program of 32 bits.
func TestE2EForeignABIIsFiltered(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the program is for i386")
	}
	onEach(t, func(t *testing.T, b backend) {
		if b.name == Bwrap && os.Geteuid() != 0 {
			t.Skip("no filter: the mount is read-only")
		}
		p := newPlaces(t)
		path := victim(t, p)
		before := identity(t, path)
		binary := filepath.Join(p.workspace, "chmod32")
		if err := os.WriteFile(binary, chmod32(path), 0o755); err != nil {
			t.Fatal(err)
		}
		got, _ := b.run(t, sandbox.ReadOnly, p.workspace, `"$1"`, binary)
		want := map[string]int{Bwrap: int(unix.EROFS), Landlock: int(unix.EACCES)}[b.name]
		if got.code == 126 {
			t.Skipf("no 32-bit programs here: %s", got.stderr)
		}
		if got.code != want {
			t.Errorf("errno %d, want %d", got.code, want)
		}
		if after := identity(t, path); after != before {
			t.Errorf("from %s\nto   %s", before, after)
		}
	})
}

// chmod32 is a program for i386 that changes the mode of a file by the number
// that chmod has there, and exits with the errno.
func chmod32(path string) []byte {
	const base, headers = 0x08048000, 52 + 32
	code := []byte{
		0xb8, 15, 0, 0, 0, // mov eax, chmod
		0xbb, 0, 0, 0, 0, // mov ebx, path
		0xb9, 0xc0, 0x01, 0, 0, // mov ecx, 0700
		0xcd, 0x80, // int 0x80
		0xf7, 0xd8, // neg eax
		0x89, 0xc3, // mov ebx, eax
		0xb8, 1, 0, 0, 0, // mov eax, exit
		0xcd, 0x80, // int 0x80
	}
	binary.LittleEndian.PutUint32(code[6:], uint32(base+headers+len(code)))
	size := uint32(headers + len(code) + len(path) + 1)
	var b bytes.Buffer
	b.WriteString("\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	for _, field := range []any{
		uint16(2), uint16(3), uint32(1), uint32(base + headers), uint32(52), uint32(0), uint32(0), // ELF header
		uint16(52), uint16(32), uint16(1), uint16(0), uint16(0), uint16(0),
		uint32(1), uint32(0), uint32(base), uint32(base), size, size, uint32(5), uint32(0x1000), // program header
	} {
		_ = binary.Write(&b, binary.LittleEndian, field)
	}
	b.Write(code)
	b.WriteString(path + "\x00")
	return b.Bytes()
}
