package sandboxtest

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"github.com/dsh-go/dsh/sandbox"
)

// Flags of mount(2) and of the calls that replace it.
const (
	mountNoSymFollow  = 1 << 8
	treeClone         = 1 // OPEN_TREE_CLONE
	moveFromEmptyPath = 4 // MOVE_MOUNT_F_EMPTY_PATH
	attrReadOnly      = 1 // MOUNT_ATTR_RDONLY
)

// mountAttempts make a mount writable and then write to it. They act on the
// mount on which the suite's own files lie, which the host has writable
// anyway, on a read-only mount of the suite, and on copies of mounts.
//
// Nothing but a directory of the suite is ever mounted anywhere: were it left
// behind, removing the suite's files would remove what is mounted there.
func mountAttempts() []attempt {
	whole := of(sandbox.EffectRemount, []attempt{
		{name: "mount(2)", do: afterwards(remount, "file")},
		{name: "mount_setattr", do: afterwards(setWritable, "file")},
		{name: "a writable copy of the mount", do: writeThroughCopy},
		{name: "open_tree_attr", do: writeThroughAttr},
		{name: "a writable copy, mounted", do: afterwards(mountCopy, "dir/file")},
	})
	own := of(sandbox.EffectRemount, []attempt{
		{name: "mount(2) of a read-only mount", prepare: mountReadOnly, do: afterwards(remount, "tree/file")},
		{name: "mount_setattr of a read-only mount", prepare: mountReadOnly, do: afterwards(setWritable, "tree/file")},
	})
	for i := range whole {
		whole[i].with = []string{withDir, withTree}
		whole[i].places, whole[i].needed, whole[i].alone = directories, mayWork, true
	}
	for i := range own {
		own[i].with = []string{withTree}
		own[i].places, own[i].needed, own[i].alone, own[i].observe = []sandbox.Place{sandbox.PlaceBeside}, mayWork, true, observeMount
	}
	return slices.Concat(whole, in(inMount, whole), in(inUser, whole), own, in(inUser, own))
}

// afterwards writes to a file whether or not arranging mounts succeeded: it
// is the file that counts.
func afterwards(arrange func(victim) error, name string) func(victim) error {
	return func(v victim) error {
		arranged := arrange(v)
		if err := put(v.path(name), syscall.O_WRONLY|syscall.O_APPEND); err != nil {
			return err
		}
		return arranged
	}
}

// remount makes the mount beneath the victim writable and leaves its other
// flags alone.
func remount(v victim) error {
	point, err := mountPoint(filepath.Dir(v.path("tree/file")))
	if err != nil {
		return err
	}
	return remountAt(point)
}

func remountAt(point string) error {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(point, &stat); err != nil {
		return err
	}
	return syscall.Mount("", point, "", syscall.MS_REMOUNT|syscall.MS_BIND|mountFlags(int64(stat.Flags)), "")
}

// mountFlags translates the flags of statfs(2), but for being read-only.
func mountFlags(stat int64) uintptr {
	const accessTimes = syscall.MS_NOATIME | syscall.MS_RELATIME
	flags := uintptr(stat) & (syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC | syscall.MS_NOATIME | syscall.MS_NODIRATIME)
	if stat&0x1000 != 0 { // ST_RELATIME
		flags |= syscall.MS_RELATIME
	}
	if stat&0x2000 != 0 { // ST_NOSYMFOLLOW
		flags |= mountNoSymFollow
	}
	if flags&accessTimes == 0 {
		flags |= syscall.MS_STRICTATIME
	}
	return flags
}

// mountAttr is struct mount_attr of mount_setattr(2).
type mountAttr struct{ set, clear, propagation, userNS uint64 }

func makeWritable(fd int, path string, flags int) error {
	attr := mountAttr{clear: attrReadOnly}
	return errorOf(invoke(sysMountSetattr, fd, path, flags, unsafe.Pointer(&attr), int(unsafe.Sizeof(attr))))
}

func setWritable(v victim) error {
	point, err := mountPoint(filepath.Dir(v.path("tree/file")))
	if err != nil {
		return err
	}
	return makeWritable(atFDCWD, point, 0)
}

// copyOf returns a detached, writable copy of the mount of the victim's tree.
func copyOf(v victim) (int, error) {
	fd, err := invoke(sysOpenTree, atFDCWD, v.path("tree"), treeClone|syscall.O_CLOEXEC)
	if err != nil {
		return -1, err
	}
	if err := makeWritable(fd, "", atEmptyPath); err != nil {
		syscall.Close(fd)
		return -1, err
	}
	return fd, nil
}

func writeThroughCopy(v victim) error {
	tree, err := copyOf(v)
	if err != nil {
		return err
	}
	defer syscall.Close(tree)
	return putAt(tree, "file")
}

// writeThroughAttr makes the copy and its flags in one call.
func writeThroughAttr(v victim) error {
	attr := mountAttr{clear: attrReadOnly}
	tree, err := invoke(sysOpenTreeAttr, atFDCWD, v.path("tree"), treeClone|syscall.O_CLOEXEC, unsafe.Pointer(&attr), int(unsafe.Sizeof(attr)))
	if err != nil {
		return err
	}
	defer syscall.Close(tree)
	return putAt(tree, "file")
}

// putAt writes to a file beneath an open directory.
func putAt(dir int, name string) error {
	fd, err := syscall.Openat(dir, name, syscall.O_WRONLY|syscall.O_APPEND|syscall.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	_, err = syscall.Write(fd, []byte("x"))
	return err
}

func mountCopy(v victim) error {
	tree, err := copyOf(v)
	if err != nil {
		return err
	}
	defer syscall.Close(tree)
	return errorOf(invoke(sysMoveMount, tree, "", atFDCWD, v.path("dir"), moveFromEmptyPath))
}

// mountReadOnly mounts the victim's tree over itself, read-only.
func mountReadOnly(g *ground, t *trial) error {
	tree := t.path("tree")
	if err := syscall.Mount(tree, tree, "", syscall.MS_BIND, ""); err != nil {
		return err
	}
	return syscall.Mount("", tree, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, "")
}

// observeMount looks at the flags of the suite's own mount, too.
func observeMount(g *ground, t *trial) string {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(t.path("tree"), &stat); err != nil {
		return err.Error()
	}
	state := "writable mount\n"
	if stat.Flags&syscall.MS_RDONLY != 0 {
		state = "read-only mount\n"
	}
	return state + observeFiles(g, t)
}

// mountPoints lists where something is mounted, as proc_pid_mountinfo(5)
// tells.
func mountPoints() ([]string, error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var points []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) > 4 {
			points = append(points, fields[4])
		}
	}
	return points, lines.Err()
}

// mountPoint finds the mount on which path lies.
func mountPoint(path string) (string, error) {
	points, err := mountPoints()
	if err != nil {
		return "", err
	}
	best := "/"
	for _, point := range points {
		if len(point) > len(best) && sandbox.Within(path, []string{point}) {
			best = point
		}
	}
	return best, nil
}
