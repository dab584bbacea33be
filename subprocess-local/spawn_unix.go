//go:build linux || darwin

package subprocesslocal

import (
	"os"
	"syscall"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
	"golang.org/x/sys/unix"
)

// spawn starts spec's program with an environment and descriptors. It returns
// its leader, or a [*subprocess.StartError].
func (e *engine) spawn(spec subprocess.Spec, env []string, files []uintptr) (*leader, error) {
	attr := &syscall.ProcAttr{Dir: spec.Dir, Env: env, Files: files}
	var started *leader
	var err error
	fork := func() { started, err = forkExec(spec.Argv, attr) }
	if spec.Restrict == nil {
		retryBusy(&err, func() { e.starter.run(fork) })
	} else if refused := restricted(spec.Restrict, func() { retryBusy(&err, fork) }); refused != nil {
		return nil, startError(spec, subprocess.StageRestrict, refused)
	}
	if err != nil {
		return nil, explain(spec, env, err)
	}
	return started, nil
}

// retryBusy repeats fork while the program is "text file busy": somebody who
// was forked while the file was being written has not let go of it yet.
func retryBusy(err *error, fork func()) {
	const longest = 64 * time.Millisecond
	for pause := time.Millisecond; ; pause *= 2 {
		fork()
		if *err != unix.ETXTBSY || pause > longest {
			return
		}
		time.Sleep(pause)
	}
}

// explain turns the error of a fork or of the child before it became the
// program, which does not tell which of the two, into a start error. The
// directory is looked at only now, so that one that vanished after an earlier
// look is not taken for a missing program.
func explain(spec subprocess.Spec, env []string, err error) error {
	switch err {
	case unix.E2BIG:
		tooLong := &subprocess.TooLongError{Field: "Argv and Env", Bytes: totalSize(spec.Argv, env)}
		return startError(spec, subprocess.StageValidate, tooLong)
	case unix.EAGAIN, unix.ENOMEM:
		return startError(spec, subprocess.StageExec, os.NewSyscallError("fork", err))
	}
	if err := checkDir(spec.Dir); err != nil {
		return startError(spec, subprocess.StageDirectory, err)
	}
	return startError(spec, subprocess.StageExec, &os.PathError{Op: "exec", Path: spec.Argv[0], Err: err})
}

// checkDir reports why dir cannot be entered.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &os.PathError{Op: "chdir", Path: dir, Err: unix.ENOTDIR}
	}
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.X_OK, unix.AT_EACCESS); err != nil {
		return &os.PathError{Op: "chdir", Path: dir, Err: err}
	}
	return nil
}
