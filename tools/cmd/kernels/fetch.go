package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/cpio"
	"github.com/dsh-go/dsh/tools/internal/debian"
)

// store is what was fetched, in the user's cache directory. It holds what the
// machines need as they need it, so that a second run neither asks the mirror
// nor unpacks anything.
type store struct {
	dir string
	// mirror is asked when something is missing; empty for the machine's own.
	mirror string
	say    func(format string, args ...any)
}

func openStore(mirror string, say func(string, ...any)) (*store, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "dsh", "kernels")
	return &store{dir, mirror, say}, os.MkdirAll(dir, 0o755)
}

// image is a kernel that was fetched.
type image struct {
	kernel string
	module string // the driver of the disk in memory
}

const (
	// versionsFile lists the packages that a directory of the store came from.
	// It is written last, so it stands for all of it.
	versionsFile = "versions"
	kernelFile   = "vmlinuz"
	treeFile     = "tree.cpio"
)

// kernel returns a suite's kernel, fetching it where it is not there yet.
func (s *store) kernel(ctx context.Context, k kernel) (image, error) {
	dir := filepath.Join(s.dir, fmt.Sprintf("kernel-%s-%s", k.suite, k.arch))
	err := s.fill(ctx, dir, k.suite, k.arch, nil, func(a debian.Archive) ([]string, error) {
		names, err := a.Closure(ctx, "linux-image-cloud-"+k.arch)
		if err != nil {
			return nil, err
		}
		files, err := a.Download(ctx, kernelPackages(names)...)
		return files, errors.Join(err, unpackKernel(ctx, dir, files))
	})
	if err != nil {
		return image{}, err
	}
	modules, err := filepath.Glob(filepath.Join(dir, diskModule+"*"))
	if err != nil || len(modules) != 1 {
		return image{}, errors.Join(err, fmt.Errorf("%s: %d modules named %s", dir, len(modules), diskModule))
	}
	return image{filepath.Join(dir, kernelFile), modules[0]}, nil
}

// kernelPackages picks those that hold a kernel and its modules out of all
// that its metapackage depends on.
func kernelPackages(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		kind, rest, _ := strings.Cut(strings.TrimPrefix(name, "linux-"), "-")
		versioned := rest != "" && rest[0] >= '0' && rest[0] <= '9'
		return !strings.HasPrefix(name, "linux-") || !versioned || !slices.Contains([]string{"image", "binary", "modules"}, kind)
	})
}

// diskModule begins the name of the driver, which a suffix of a compression
// may follow. File systems are part of the kernel.
const diskModule = "brd.ko"

func unpackKernel(ctx context.Context, dir string, packages []string) error {
	for _, archive := range packages {
		err := debian.Walk(ctx, archive, func(f debian.File) error {
			base := path.Base(f.Name)
			switch {
			case strings.HasPrefix(base, kernelFile):
				base = kernelFile
			case !strings.HasPrefix(base, diskModule):
				return nil
			}
			data, err := io.ReadAll(f.Content)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, base), data, 0o644)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// tree returns the file of the programs of an architecture, as an archive for
// a kernel to unpack.
func (s *store) tree(ctx context.Context, arch string) (string, error) {
	dir := s.userlandDir(arch)
	file := filepath.Join(dir, treeFile)
	return file, s.fill(ctx, dir, userland, arch, userlandPackages, func(a debian.Archive) ([]string, error) {
		packages, err := a.DownloadAll(ctx, userlandPackages...)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		if err := writeTree(ctx, cpio.NewWriter(&out), packages); err != nil {
			return nil, err
		}
		return packages, os.WriteFile(file, out.Bytes(), 0o644)
	})
}

func (s *store) userlandDir(arch string) string {
	return filepath.Join(s.dir, fmt.Sprintf("userland-%s-%s", userland, arch))
}

// clear forgets what was fetched.
func (s *store) clear() error {
	var errs []error
	for _, pattern := range []string{"kernel-*", "userland-*", "apt-*"} {
		dirs, err := filepath.Glob(filepath.Join(s.dir, pattern))
		errs = append(errs, err)
		for _, dir := range dirs {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	return errors.Join(errs...)
}

// fill runs get on an empty directory unless the directory is complete and
// came from all of the wanted packages.
func (s *store) fill(ctx context.Context, dir, suite, arch string, wanted []string, get func(debian.Archive) ([]string, error)) error {
	if complete, err := complete(dir, wanted); complete || err != nil {
		return err
	}
	s.say("fetching %s", filepath.Base(dir))
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	archive, err := s.archive(ctx, suite, arch)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	packages, err := get(archive)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, file := range packages {
		if p, ok := debian.ParseName(file); ok {
			fmt.Fprintln(&text, p.Name, p.Version)
		}
	}
	return os.WriteFile(filepath.Join(dir, versionsFile), []byte(text.String()), 0o644)
}

// complete reports whether a directory of the store has everything, the
// wanted packages among it: the list of them may have grown since.
func complete(dir string, wanted []string) (bool, error) {
	versions, err := readVersions(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	lacking := func(name string) bool { return versions[name] == "" }
	return !slices.ContainsFunc(wanted, lacking), err
}

// archive returns a suite with its lists, which are fetched once per run.
func (s *store) archive(ctx context.Context, suite, arch string) (debian.Archive, error) {
	if s.mirror == "" {
		mirror, err := debian.Mirror(ctx)
		if err != nil {
			return debian.Archive{}, fmt.Errorf("%w; name a mirror with -mirror", err)
		}
		s.mirror = mirror
	}
	a := debian.Archive{Mirror: s.mirror, Suite: suite, Arch: arch, Dir: filepath.Join(s.dir, fmt.Sprintf("apt-%s-%s", suite, arch))}
	return a, a.Update(ctx)
}

// version returns the version of a program of an architecture.
func (s *store) version(arch, name string) (string, error) {
	versions, err := readVersions(s.userlandDir(arch))
	if err == nil && versions[name] == "" {
		err = fmt.Errorf("%w: %s for %s", fs.ErrNotExist, name, arch)
	}
	return versions[name], err
}

// readVersions returns the packages that a complete directory of the store
// came from, with their versions.
func readVersions(dir string) (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, versionsFile))
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		versions[name] = version
	}
	return versions, nil
}
