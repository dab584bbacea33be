//go:build linux || darwin

package subprocesslocal

import (
	"os"
	"syscall"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
	"golang.org/x/sys/unix"
)

// spawn starts the program of a launch. It returns its leader, or a
// [*subprocess.StartError].
func (e *engine) spawn(l launch) (*leader, error) {
	spec := l.spec
	dir, err := openDirectory(spec.Dir)
	if err != nil {
		return nil, startError(spec, subprocess.StageDirectory, err)
	}
	defer dir.release()
	env := subprocess.Environ(os.Environ(), spec.Env, spec.Unset, spec.Managed)
	env = append(env, cookieEntry(e.terminator.service, l.cookie))
	attr := &syscall.ProcAttr{Dir: dir.name, Env: env, Files: l.wiring.child}
	var started *leader
	fork := func() { started, err = forkExec(spec.Argv, attr) }
	if spec.Restrict == nil {
		retryBusy(func() error { e.starter.run(fork); return err })
	} else {
		refused := restricted(spec.Restrict, func() { retryBusy(func() error { fork(); return err }) })
		if refused != nil {
			return nil, startError(spec, subprocess.StageRestrict, refused)
		}
	}
	if err != nil {
		return nil, explain(spec, env, dir, err)
	}
	return started, nil
}

// retryBusy repeats fork while the program is "text file busy": somebody who
// was forked while the file was being written has not let go of it yet.
func retryBusy(fork func() error) {
	const longest = 64 * time.Millisecond
	for pause := time.Millisecond; fork() == unix.ETXTBSY && pause <= longest; pause *= 2 {
		time.Sleep(pause)
	}
}

// explain turns the error of a fork, or of the child before it became the
// program, into a start error. It does not tell whether entering the directory
// or executing the program failed, so a directory that is not certain is looked
// at now: one that vanished meanwhile is not taken for a missing program.
func explain(spec subprocess.Spec, env []string, dir directory, err error) error {
	switch err {
	case unix.E2BIG:
		tooLong := &subprocess.TooLongError{Field: "Argv and Env", Bytes: totalSize(spec.Argv, env)}
		return startError(spec, subprocess.StageValidate, tooLong)
	case unix.EAGAIN, unix.ENOMEM:
		return startError(spec, subprocess.StageExec, os.NewSyscallError("fork", err))
	}
	if !dir.certain {
		if err := checkDir(spec.Dir); err != nil {
			return startError(spec, subprocess.StageDirectory, err)
		}
	}
	return startError(spec, subprocess.StageExec, &os.PathError{Op: "exec", Path: spec.Argv[0], Err: err})
}
