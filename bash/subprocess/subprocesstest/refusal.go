package subprocesstest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dsh-go/dsh/bash/subprocess"
)

var refusalTests = []test{
	{"NUL bytes are refused before anything runs", nulBytes},
	{"a relative program is not searched for", relativeProgram},
	{"an argument is either passed whole or refused as too long", longArguments},
	{"arguments and environment that are too long together are refused", longTogether},
	{"a bad directory is told apart from a missing program", badDirectories},
	{"a program that cannot be executed is named", badPrograms},
	{"a context that has ended starts nothing", endedContext},
}

// refused starts spec, which must fail at stage.
func (f *fixture) refused(spec subprocess.Spec, stage subprocess.Stage) *subprocess.StartError {
	f.Helper()
	handle, err := f.service.Start(context.Background(), spec)
	var failure *subprocess.StartError
	if !errors.As(err, &failure) {
		f.Fatalf("Start = %v, %v, want a StartError", handle, err)
	}
	if failure.Stage != stage {
		f.Errorf("%v is of stage %q, want %q", err, failure.Stage, stage)
	}
	if len(spec.Argv) > 0 && failure.Program != spec.Argv[0] || failure.Dir != spec.Dir {
		f.Errorf("the error names %q in %q", failure.Program, failure.Dir)
	}
	return failure
}

func nulBytes(f *fixture) {
	witness := filepath.Join(f.TempDir(), "ran")
	specs := make([]subprocess.Spec, 4)
	for i := range specs {
		specs[i] = shell("touch " + witness)
	}
	specs[0].Argv[2] += "\x00x"
	specs[1].Dir = "/\x00"
	specs[2].Env = map[string]string{"A": "b\x00c"}
	specs[3].Env = map[string]string{"A\x00": "b"}
	for _, spec := range specs {
		if err := f.refused(spec, subprocess.StageValidate); !errors.Is(err, subprocess.ErrNUL) {
			f.Errorf("%v does not say why", err)
		}
	}
	if _, err := os.Lstat(witness); err == nil {
		f.Error("a command ran")
	}
}

func relativeProgram(f *fixture) {
	spec := shell("")
	spec.Argv = []string{"sh", "-c", "true"}
	if err := f.refused(spec, subprocess.StageValidate); !errors.Is(err, subprocess.ErrNotAbsolute) {
		f.Error(err)
	}
	spec.Argv = nil
	if err := f.refused(spec, subprocess.StageValidate); !errors.Is(err, subprocess.ErrEmpty) {
		f.Error(err)
	}
}

func longArguments(f *fixture) {
	limit := 32 * os.Getpagesize() // of Linux, with the terminating NUL byte
	for _, size := range []int{limit - 1, limit, limit + 1} {
		witness := filepath.Join(f.TempDir(), "ran")
		script := "echo >" + witness + "; echo ok"
		spec := shell(":;" + strings.Repeat(" ", size-len(":;")-len(script)) + script)
		handle, err := f.service.Start(context.Background(), spec)
		switch {
		case err == nil:
			f.finish(handle)
			if out := text(handle.Stdout()); out != "ok\n" {
				f.Errorf("%d bytes: stdout %q", size, out)
			}
		case size < limit:
			f.Errorf("%d bytes: %v", size, err)
		default:
			var tooLong *subprocess.TooLongError
			if !errors.As(err, &tooLong) || !errors.Is(err, subprocess.ErrTooLong) || tooLong.Bytes != int64(size)+1 {
				f.Errorf("%d bytes: %v", size, err)
			}
			f.refused(spec, subprocess.StageValidate)
			if _, err := os.Lstat(witness); err == nil {
				f.Errorf("%d bytes: something ran", size)
			}
		}
	}
}

func longTogether(f *fixture) {
	spec := shell("true")
	piece := strings.Repeat("x", 100_000)
	for range 200 { // 20 MB, more than any limit
		spec.Argv = append(spec.Argv, piece)
	}
	if err := f.refused(spec, subprocess.StageValidate); !errors.Is(err, subprocess.ErrTooLong) {
		f.Error(err)
	}
}

func badDirectories(f *fixture) {
	dir := f.TempDir()
	file, closed := filepath.Join(dir, "file"), filepath.Join(dir, "closed")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		f.Fatal(err)
	}
	if err := os.Mkdir(closed, 0); err != nil {
		f.Fatal(err)
	}
	cases := map[string]error{
		filepath.Join(dir, "missing"):  fs.ErrNotExist,
		file:                           syscall.ENOTDIR,
		filepath.Join(file, "x"):       syscall.ENOTDIR,
		"/" + strings.Repeat("x", 300): syscall.ENAMETOOLONG,
	}
	if os.Getuid() != 0 {
		cases[closed] = fs.ErrPermission
	}
	for dir, want := range cases {
		spec := shell("true")
		spec.Dir = dir
		if err := f.refused(spec, subprocess.StageDirectory); !errors.Is(err, want) {
			f.Errorf("%v, want %v", err, want)
		}
	}
}

func badPrograms(f *fixture) {
	dir := f.TempDir()
	plain, orphaned := filepath.Join(dir, "plain"), filepath.Join(dir, "orphaned")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(orphaned, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		f.Fatal(err)
	}
	for program, want := range map[string]error{
		filepath.Join(dir, "missing"): fs.ErrNotExist,
		plain:                         fs.ErrPermission,
		dir:                           fs.ErrPermission,
		orphaned:                      fs.ErrNotExist,
	} {
		spec := shell("")
		spec.Argv = []string{program}
		if err := f.refused(spec, subprocess.StageExec); !errors.Is(err, want) {
			f.Errorf("%v, want %v", err, want)
		}
	}
}

func endedContext(f *fixture) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	handle, err := f.service.Start(ctx, shell("true"))
	if handle != nil || err != context.Canceled {
		f.Errorf("Start = %v, %v", handle, err)
	}
}
