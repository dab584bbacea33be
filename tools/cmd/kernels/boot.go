package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/dsh-go/dsh/tools/cmd/kernels/internal/guestjob"
	"github.com/dsh-go/dsh/tools/internal/cpio"
	"github.com/dsh-go/dsh/tools/internal/emulator"
)

// boot is one kernel with everything that its guest needs.
type boot struct {
	kernel
	image image
	tree  string // the programs
	built binaries
	jobs  []guestjob.Job
}

// run boots the kernel in a directory of its own, and returns what the guest
// reported. The error is not nil unless the guest came to its last line.
func (b boot) run(ctx context.Context, dir string, limit time.Duration) (guestjob.Report, error) {
	initrd := filepath.Join(dir, "initrd")
	if err := b.writeInitrd(initrd); err != nil {
		return guestjob.Report{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	m := emulator.Machine{Arch: b.arch, Kernel: b.image.kernel, Initrd: initrd, Dir: dir}
	runErr := m.Run(ctx)
	report, err := readReport(m.ReportFile())
	if err = errors.Join(runErr, err); err != nil {
		return report, fmt.Errorf("%w\nthe console's end:\n%s", err, tail(m.ConsoleFile()))
	}
	return report, nil
}

func readReport(name string) (guestjob.Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return guestjob.Report{}, err
	}
	defer f.Close()
	return guestjob.Read(f)
}

// tail returns the end of a console, or nothing.
func tail(name string) string {
	text, _ := os.ReadFile(name) // it only adds to another error
	return string(text[max(0, len(text)-3000):])
}

// writeInitrd puts the programs and then what is ours into one file: a kernel
// unpacks one archive after the other.
func (b boot) writeInitrd(name string) error {
	programs, err := os.ReadFile(b.tree)
	if err != nil {
		return err
	}
	out := bytes.NewBuffer(programs)
	w := cpio.NewWriter(out)
	for name, source := range b.files() {
		data, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		if err := w.Write(name[1:], 0o755, data); err != nil {
			return err
		}
	}
	if err := b.writeList(w); err != nil {
		return err
	}
	if err := w.Write("init", fs.ModeSymlink|0o777, []byte(guestjob.GuestPath)); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(name, out.Bytes(), 0o644)
}

// files are the host's files by where the guest finds them.
func (b boot) files() map[string]string {
	files := map[string]string{
		guestjob.GuestPath: b.built.guest,
		path.Join(guestjob.ModulesDir, filepath.Base(b.image.module)): b.image.module,
	}
	for name, source := range b.built.tests {
		files[path.Join(guestjob.TestsDir, name)] = source
	}
	return files
}

func (b boot) writeList(w *cpio.Writer) error {
	port, err := emulator.ReportPort(b.arch)
	if err != nil {
		return err
	}
	list, err := json.Marshal(guestjob.List{Report: port, Jobs: b.jobs})
	if err != nil {
		return err
	}
	return w.Write(guestjob.ListPath[1:], 0o644, list)
}
