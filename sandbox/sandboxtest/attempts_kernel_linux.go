package sandboxtest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"github.com/dsh-go/dsh/sandbox"
)

// kernelSettings can be written back with the value that they have.
var kernelSettings = []string{
	"/proc/sys/kernel/printk",
	"/proc/sys/kernel/hostname",
	"/proc/sys/vm/swappiness",
	"/sys/kernel/mm/transparent_hugepage/khugepaged/defrag",
}

func settingAttempts() []attempt {
	inProc := []sandbox.Place{sandbox.PlaceProc}
	base := attempt{effect: sandbox.EffectKernelSetting, places: inProc, judged: byResult, needed: mayWork}
	plain, remounted, fresh, bare, score := base, base, base, base, base
	plain.name, plain.targets, plain.do = "write", kernelSettings, writeSame
	remounted.name, remounted.targets, remounted.alone = "write after remounting /proc", kernelSettings[:1], true
	remounted.do = func(v victim) error {
		_ = remountAt("/proc") // the write decides
		return writeSame(v)
	}
	fresh.name, fresh.targets = "write to a /proc of its own", kernelSettings[:1]
	fresh.do = func(v victim) error {
		if err := syscall.Mount("proc", "/proc", "proc", 0, ""); err != nil {
			return err
		}
		return writeSame(v)
	}
	bare.name, bare.targets = "write after unmounting what covers /proc", kernelSettings[:1]
	bare.do = func(v victim) error {
		if err := syscall.Unmount("/proc", detach); err != nil {
			return err
		}
		return writeSame(v)
	}
	score.name, score.targets, score.do = "write to another process's oom_score_adj",
		[]string{"/proc/" + ownPID() + "/oom_score_adj"}, ofSuite(writeSame)
	return slices.Concat([]attempt{plain, score, remounted},
		in(inMount, []attempt{remounted, fresh, bare}), in(inUser, []attempt{plain, remounted, fresh, bare}))
}

func writeSame(v victim) error {
	value, err := os.ReadFile(v.Prefix)
	if err != nil {
		return err
	}
	return withFD(v.Prefix, syscall.O_WRONLY, func(fd int) error {
		_, err := syscall.Write(fd, bytes.TrimSpace(value))
		return err
	})
}

// ofSuite acts on a file of the suite's process unless the number is one of the
// probe's own in a sandbox with numbers of its own.
func ofSuite(do func(victim) error) func(victim) error {
	return func(v victim) error {
		line, err := os.ReadFile(filepath.Dir(v.Prefix) + "/cmdline")
		if err != nil {
			return err
		}
		if bytes.Contains(line, []byte(probeArg)) {
			return syscall.ESRCH
		}
		return do(v)
	}
}

// procAttempts reach files by way of the suite's own process.
func procAttempts() []attempt {
	through := func(name string, path func(v victim) string) attempt {
		return attempt{
			effect: sandbox.EffectProcLink, name: name, places: directories, needed: mayWork, prepare: openPrivately,
			do: func(v victim) error { return put(path(v), syscall.O_WRONLY) },
		}
	}
	process := func(v victim) string { return "/proc/" + strconv.Itoa(v.PID) }
	return []attempt{
		through("another process's root", func(v victim) string { return process(v) + "/root" + v.path("file") }),
		through("another process's cwd", func(v victim) string {
			return process(v) + "/cwd" + strings.Repeat("/..", 40) + v.path("file")
		}),
		through("another process's descriptor", func(v victim) string { return process(v) + "/fd/" + strconv.Itoa(v.FD) }),
		through("the first process's root", func(v victim) string { return "/proc/1/root" + v.path("file") }),
		through("its own root", func(v victim) string { return "/proc/self/root" + v.path("file") }),
		{
			effect: sandbox.EffectProcLink, name: "another process's memory", places: []sandbox.Place{sandbox.PlaceProc},
			targets: []string{"/proc/" + ownPID() + "/mem"}, judged: byResult, needed: mayWork,
			do: ofSuite(func(v victim) error { return withFD(v.Prefix, syscall.O_RDWR, func(int) error { return nil }) }),
		},
	}
}

// highFD keeps the suite's descriptors away from the numbers that a spawner
// gives to what it starts.
const highFD = 100

// openHigh opens a file of a trial for as long as the trials run.
func openHigh(g *ground, path string, flags, dup int) (int, error) {
	fd, err := syscall.Open(path, flags|syscall.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer syscall.Close(fd)
	high, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), uintptr(dup), highFD)
	if errno != 0 {
		return -1, errno
	}
	g.atEnd(func() error { return syscall.Close(int(high)) })
	return int(high), nil
}

func openPrivately(g *ground, t *trial) (err error) {
	t.PID = os.Getpid()
	t.FD, err = openHigh(g, t.path("file"), syscall.O_RDWR, syscall.F_DUPFD_CLOEXEC)
	return err
}

// descriptorAttempts use descriptors that the host program has open without
// close-on-exec.
func descriptorAttempts() []attempt {
	inherited := func(name, path string, flags int, do func(victim) error) attempt {
		return attempt{
			effect: sandbox.EffectInheritedFD, name: name, places: directories, with: []string{withTree}, needed: mayWork, do: do,
			prepare: func(g *ground, t *trial) (err error) {
				t.FD, err = openHigh(g, t.path(path), flags, syscall.F_DUPFD)
				return err
			},
		}
	}
	return []attempt{
		inherited("write", "file", syscall.O_RDWR, func(v victim) error {
			_, err := syscall.Write(v.FD, []byte("x"))
			return err
		}),
		inherited("reopening one for reading", "file", syscall.O_RDONLY, func(v victim) error { return put(ownFD(v.FD), syscall.O_WRONLY) }),
		inherited("open beneath a directory", "tree", syscall.O_RDONLY, func(v victim) error { return putAt(v.FD, "file") }),
	}
}

// maxHandle is MAX_HANDLE_SZ of name_to_handle_at(2).
const maxHandle = 128

// fileHandle is struct file_handle.
type fileHandle struct {
	size uint32
	kind int32
	data [maxHandle]byte
}

// handleAttempts reopen a file by its handle, relative to each directory that
// a command can open.
func handleAttempts() []attempt {
	base := []attempt{{
		effect: sandbox.EffectOpenByHandle, name: "open_by_handle_at", places: directories, needed: mayWork,
		prepare: nameHandle, do: openHandle,
	}}
	return slices.Concat(base, in(inUser, base))
}

func nameHandle(_ *ground, t *trial) error {
	handle := fileHandle{size: maxHandle}
	var mount int32
	if _, err := invoke(sysNameToHandleAt, atFDCWD, t.path("file"), unsafe.Pointer(&handle), unsafe.Pointer(&mount), 0); err != nil {
		return err
	}
	t.Handle, t.HandleType = handle.data[:handle.size], handle.kind
	return nil
}

func openHandle(v victim) error {
	handle := fileHandle{size: uint32(len(v.Handle)), kind: v.HandleType}
	copy(handle.data[:], v.Handle)
	var last error
	for _, dir := range []string{v.Workspace, v.parent(), "/", "/tmp"} {
		last = withFD(dir, syscall.O_RDONLY|syscall.O_DIRECTORY, func(mount int) error {
			fd, err := invoke(sysOpenByHandleAt, mount, unsafe.Pointer(&handle), syscall.O_WRONLY|syscall.O_APPEND|syscall.O_CLOEXEC)
			if err != nil {
				return err
			}
			defer syscall.Close(fd)
			_, err = syscall.Write(fd, []byte("x"))
			return err
		})
		if last == nil {
			return nil
		}
	}
	return last
}

func ownPID() string { return strconv.Itoa(os.Getpid()) }
