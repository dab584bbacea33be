package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/dsh-go/dsh/tools/cmd/kernels/internal/guestjob"
)

// settled is the word that the first process passes to itself once it lives on
// the final file system.
const settled = "settled"

// first is the first process. It never returns: the machine is off then.
func first() error {
	if os.Getpid() != 1 {
		return errNotAGuest
	}
	var err error
	if len(os.Args) > 1 && os.Args[1] == settled {
		err = superviseJobs()
	} else {
		err = settle()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "guest:", err) // the console, which the host keeps
	}
	return errors.Join(err, unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF))
}

// root is where the final file system is mounted at first.
const root = "/root.new"

// settle moves from the initial file system to a real one, on which files have
// attributes and flags, and which can be taken for the root of a mount
// namespace (pivot_root(2) refuses the initial one). It then starts over.
func settle() error {
	steps := []struct {
		name string
		do   func() error
	}{
		{"mounting /dev, /proc and /sys", mountSystem},
		{"loading modules", loadModules},
		{"making a file system", makeFileSystem},
		{"copying", func() error { return copyInto(root, "/") }},
		{"moving", moveIn},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return unix.Exec(guestjob.GuestPath, []string{guestjob.GuestPath, settled}, environment())
}

// environment is what jobs start from.
func environment() []string {
	return []string{"PATH=/usr/sbin:/usr/bin", "LANG=C.UTF-8"}
}

// moved are the file systems that come along to the final root, as they are.
var moved = []string{"/dev", "/proc", "/sys"}

func mountSystem() error {
	for i, kind := range []string{"devtmpfs", "proc", "sysfs"} {
		if err := mount(kind, moved[i], 0); err != nil {
			return err
		}
	}
	if err := mount("devpts", "/dev/pts", 0); err != nil {
		return err
	}
	if err := mount("tmpfs", "/dev/shm", unix.MS_NOSUID|unix.MS_NODEV); err != nil {
		return err
	}
	return linkDescriptors()
}

// linkDescriptors makes the names in /dev that a shell relies on and that no
// kernel makes.
func linkDescriptors() error {
	for i, name := range []string{"stdin", "stdout", "stderr"} {
		if err := os.Symlink(fmt.Sprintf("/proc/self/fd/%d", i), "/dev/"+name); err != nil {
			return err
		}
	}
	return os.Symlink("/proc/self/fd", "/dev/fd")
}

func mount(kind, dir string, flags uintptr) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(kind, dir, kind, flags, ""); err != nil && !errors.Is(err, unix.EBUSY) {
		return &os.PathError{Op: "mount", Path: dir, Err: err}
	}
	return nil
}

// compressed has the kernel decompress a module (MODULE_INIT_COMPRESSED_FILE).
const compressed = 4

// loadModules loads what the host put there, in the order of the names.
func loadModules() error {
	paths, err := filepath.Glob(guestjob.ModulesDir + "/*")
	if err != nil {
		return err
	}
	for _, path := range paths {
		flags := 0
		if !strings.HasSuffix(path, ".ko") {
			flags = compressed
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		err = unix.FinitModule(int(f.Fd()), "rd_nr=1 rd_size=524288", flags) // brd's, 512 MiB
		f.Close()
		if err != nil {
			return &os.PathError{Op: "load", Path: path, Err: err}
		}
	}
	return nil
}
