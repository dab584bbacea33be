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
func (e *engine) spawn(l launch) (started *leader, err error) {
	if err := enterable(l.spec.Dir); err != nil {
		return nil, startError(l.spec, subprocess.StageDirectory, err)
	}
	env := e.environment.current().With(l.spec.Env, l.spec.Unset, l.spec.Managed)
	l.env = append(env, cookieEntry(e.terminator.service, l.cookie))
	if l.spec.Restrict == nil {
		return l.fork(e.starter.run)
	}
	refused := restricted(l.spec.Restrict, func() {
		started, err = l.fork(func(attempt func()) { attempt() })
	})
	if refused != nil {
		return nil, startError(l.spec, subprocess.StageRestrict, refused)
	}
	return started, err
}

// fork starts the program, each attempt by means of on. The child enters the
// directory by its path, which takes it the least time. Should that fail, the
// error may be the directory's or the program's, so the child tries again in a
// directory that can be entered for certain.
func (l launch) fork(on func(attempt func())) (*leader, error) {
	started, err := l.attempt(on, l.spec.Dir)
	if err == nil || isOfNeither(err) {
		return started, l.explain(err)
	}
	dir, unusable := openDirectory(l.spec.Dir)
	if unusable != nil {
		return nil, startError(l.spec, subprocess.StageDirectory, unusable)
	}
	defer dir.release()
	started, err = l.attempt(on, dir.name)
	return started, l.explain(err)
}

// attempt forks, and does so again while the program is "text file busy":
// somebody who was forked while the file was being written has not let go of it
// yet.
func (l launch) attempt(on func(attempt func()), dir string) (started *leader, err error) {
	const longest = 64 * time.Millisecond
	for pause := time.Millisecond; ; pause *= 2 {
		on(func() { started, err = l.forkIn(dir) })
		if err != unix.ETXTBSY || pause > longest {
			return started, err
		}
		time.Sleep(pause)
	}
}

func (l launch) forkIn(dir string) (*leader, error) {
	return forkExec(l.spec.Argv, &syscall.ProcAttr{Dir: dir, Env: l.env, Files: l.wiring.child})
}

// isOfNeither reports whether an error of a fork, or of the child before it
// became the program, is certainly not about a path that is missing or barred.
func isOfNeither(err error) bool {
	switch err {
	case unix.E2BIG, unix.EAGAIN, unix.ENOMEM, unix.ETXTBSY:
		return true
	default:
		return false
	}
}

// explain turns an error that is not the directory's into a start error.
func (l launch) explain(err error) error {
	switch err {
	case nil:
		return nil
	case unix.E2BIG:
		tooLong := &subprocess.TooLongError{Field: "Argv and Env", Bytes: totalSize(l.spec.Argv, l.env)}
		return startError(l.spec, subprocess.StageValidate, tooLong)
	case unix.EAGAIN, unix.ENOMEM:
		return startError(l.spec, subprocess.StageExec, os.NewSyscallError("fork", err))
	default:
		return startError(l.spec, subprocess.StageExec, &os.PathError{Op: "exec", Path: l.spec.Argv[0], Err: err})
	}
}
