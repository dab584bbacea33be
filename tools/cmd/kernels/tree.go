package main

import (
	"archive/tar"
	"context"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/cpio"
	"github.com/dsh-go/dsh/tools/internal/debian"
)

// merged are the directories that are links into /usr. Packages still put
// files into them by their old names.
var merged = []string{"bin", "lib", "lib64", "sbin"}

// madeDirs are there whatever packages bring.
var madeDirs = []string{
	"dsh", "dsh/modules", "dsh/tests", "etc", "home", "root", "run", "tmp", "usr", "usr/bin", "usr/lib",
	"usr/lib64", "usr/sbin", "var", "var/tmp",
}

// useless is not copied: nobody reads it in a guest.
var useless = []string{
	"usr/share/doc", "usr/share/i18n", "usr/share/info", "usr/share/locale", "usr/share/man", "usr/share/lintian",
	"usr/share/perl", "usr/share/zoneinfo", "usr/share/bash-completion", "var/lib/dpkg",
}

// writeTree writes the files of packages as one tree, and ends it.
func writeTree(ctx context.Context, w *cpio.Writer, packages []string) error {
	t := &tree{w: w, dirs: map[string]bool{}}
	for _, dir := range madeDirs {
		if err := t.dir(dir, 0o755); err != nil {
			return err
		}
	}
	for _, name := range merged {
		if err := w.Write(name, fs.ModeSymlink|0o777, []byte("usr/"+name)); err != nil {
			return err
		}
	}
	for _, archive := range packages {
		if err := debian.Walk(ctx, archive, t.add); err != nil {
			return err
		}
	}
	return w.Close()
}

// tree is an archive being written.
type tree struct {
	w    *cpio.Writer
	dirs map[string]bool
}

// dir writes a directory once.
func (t *tree) dir(name string, mode fs.FileMode) error {
	if t.dirs[name] {
		return nil
	}
	t.dirs[name] = true
	return t.w.Write(name, fs.ModeDir|mode, nil)
}

// add writes a file of a package. A hard link becomes a symbolic one, and
// device nodes are the kernel's to make.
func (t *tree) add(f debian.File) error {
	name := place(f.Name)
	if slices.ContainsFunc(useless, func(dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }) ||
		slices.Contains(merged, name) {
		return nil
	}
	mode := f.FileInfo().Mode()
	switch f.Typeflag {
	case tar.TypeDir:
		return t.dir(name, mode&^fs.ModeType)
	case tar.TypeSymlink:
		return t.w.Write(name, fs.ModeSymlink|0o777, []byte(f.Linkname))
	case tar.TypeLink:
		return t.w.Write(name, fs.ModeSymlink|0o777, []byte("/"+place(path.Clean(f.Linkname))))
	case tar.TypeReg:
		data, err := io.ReadAll(f.Content)
		if err != nil {
			return err
		}
		return t.w.Write(name, mode, data)
	default:
		return nil
	}
}

// place is where a file goes whose name may begin with a merged directory.
func place(name string) string {
	if first, _, _ := strings.Cut(name, "/"); slices.Contains(merged, first) && first != name {
		return "usr/" + name
	}
	return name
}
