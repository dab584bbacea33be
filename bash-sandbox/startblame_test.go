package bashsandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	bashlocal "github.com/dsh-go/dsh/bash-local"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

// workdir is what the working directory is found to be.
type workdir string

const (
	usable       workdir = "usable"
	missing      workdir = "missing"
	notDirectory workdir = "not a directory"
)

const runnerProgram, shellProgram = "/usr/bin/runner", "/bin/bash"

func startFailed(stage subprocess.Stage, program string, err error) error {
	return &subprocess.StartError{Stage: stage, Program: program, Err: err}
}

// blameCases hold the whole decision for a start that failed: the stage × the
// program × the error × the working directory.
var blameCases = []struct {
	name     string
	workdir  workdir
	onThread bool
	err      error
	want     bool
}{
	{name: "the runner is gone", workdir: usable, err: startFailed(subprocess.StageExec, runnerProgram, syscall.ENOENT), want: true},
	{name: "the runner cannot be executed", workdir: usable, err: startFailed(subprocess.StageExec, runnerProgram, syscall.EACCES), want: true},
	{name: "gone, as the library says it", workdir: usable, err: startFailed(subprocess.StageExec, runnerProgram, fs.ErrNotExist), want: true},
	{name: "the runner is gone, and so is the directory", workdir: missing, err: startFailed(subprocess.StageExec, runnerProgram, syscall.ENOENT)},
	{name: "the directory is a file", workdir: notDirectory, err: startFailed(subprocess.StageExec, runnerProgram, syscall.ENOENT)},
	{name: "no memory", workdir: usable, err: startFailed(subprocess.StageExec, runnerProgram, syscall.ENOMEM)},
	{name: "too long", workdir: usable, err: startFailed(subprocess.StageExec, runnerProgram, syscall.E2BIG)},
	{name: "not permitted is another error than not accessible", workdir: usable, err: startFailed(subprocess.StageExec, runnerProgram, syscall.EPERM)},
	{name: "another program", workdir: usable, err: startFailed(subprocess.StageExec, shellProgram, syscall.ENOENT)},
	{name: "a program whose name begins alike", workdir: usable, err: startFailed(subprocess.StageExec, runnerProgram+"2", syscall.ENOENT)},
	{name: "the directory", workdir: usable, err: startFailed(subprocess.StageDirectory, runnerProgram, syscall.ENOENT)},
	{name: "the specification", workdir: usable, err: startFailed(subprocess.StageValidate, runnerProgram, syscall.ENOENT)},
	{name: "in-thread: bash is gone", workdir: usable, onThread: true, err: startFailed(subprocess.StageExec, shellProgram, syscall.ENOENT)},
	{name: "in-thread: the thread cannot be restricted", workdir: usable, onThread: true, err: startFailed(subprocess.StageRestrict, shellProgram, syscall.EPERM), want: true},
	{name: "another error", workdir: usable, err: errors.New("other")},
	{name: "none", workdir: usable},
}

func TestStartBlame(t *testing.T) {
	dir := t.TempDir()
	paths := map[workdir]string{usable: dir, missing: filepath.Join(dir, "gone"), notDirectory: filepath.Join(dir, "file")}
	if err := os.WriteFile(paths[notDirectory], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range blameCases {
		t.Run(tt.name, func(t *testing.T) {
			c := testCall(t, paths[tt.workdir])
			c.confinement.Argv = []string{runnerProgram, "--", shellProgram}
			if tt.onThread {
				c.confinement.Argv = nil
				c.confinement.OnThread = &sandbox.OnThread{Argv: []string{shellProgram}}
			}
			detail, blame := c.startBlame(tt.err)
			if blame != tt.want || blame == (detail == "") {
				t.Errorf("startBlame = %q, %v, want %v", detail, blame, tt.want)
			}
			if late := c.verdict(bashlocal.Settlement{Err: orUnknown(tt.err)}); late.runnerFailed != tt.want || late.denied {
				t.Errorf("learned late: %+v", late)
			}
		})
	}
}

// orUnknown gives a late failure an error even where the table has none.
func orUnknown(err error) error {
	if err == nil {
		return errors.New("unknown")
	}
	return err
}
