package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// disk is in memory: no driver is needed that another kernel lacks.
const disk = "/dev/ram0"

func makeFileSystem() error {
	cmd := exec.Command("/usr/sbin/mke2fs", "-q", "-t", "ext4", "-E", "lazy_itable_init=0,nodiscard", disk)
	cmd.Env = environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	return unix.Mount(disk, root, "ext4", 0, "")
}

// copyInto copies a tree without what is mounted in it.
func copyInto(target, source string) error {
	skipped := append(slices.Clone(moved), root)
	return filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(skipped, path) {
			return fs.SkipDir
		}
		return copyOne(filepath.Join(target, path), path, entry)
	})
}

func copyOne(target, source string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	switch info.Mode().Type() {
	case fs.ModeDir:
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
	case fs.ModeSymlink:
		link, err := os.Readlink(source)
		if err != nil {
			return err
		}
		return os.Symlink(link, target)
	default:
		data, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, data, 0o600); err != nil {
			return err
		}
	}
	owner := info.Sys().(*syscall.Stat_t)
	if err := os.Chown(target, int(owner.Uid), int(owner.Gid)); err != nil {
		return err
	}
	return os.Chmod(target, info.Mode())
}

// moveIn makes the new root the root.
func moveIn() error {
	for _, dir := range moved {
		if err := os.MkdirAll(root+dir, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(dir, root+dir, "", unix.MS_MOVE, ""); err != nil {
			return &os.PathError{Op: "move", Path: dir, Err: err}
		}
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.Mount(".", "/", "", unix.MS_MOVE, ""); err != nil {
		return &os.PathError{Op: "move", Path: root, Err: err}
	}
	if err := unix.Chroot("."); err != nil {
		return err
	}
	return os.Chdir("/")
}
