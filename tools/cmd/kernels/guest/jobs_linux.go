package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dsh-go/dsh/tools/cmd/kernels/internal/guestjob"
)

// superviseJobs runs the jobs in a child and is the init of whatever they
// leave behind.
func superviseJobs() error {
	cmd := exec.Command(guestjob.GuestPath, jobsArg)
	cmd.Env, cmd.Stdout, cmd.Stderr = environment(), os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	for {
		pid, err := unix.Wait4(-1, nil, 0, nil)
		if pid == cmd.Process.Pid || err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// runJobs runs the jobs of the list one after the other and reports each.
func runJobs() error {
	data, err := os.ReadFile(guestjob.ListPath)
	if err != nil {
		return err
	}
	var list guestjob.List
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	port, err := openPort(list.Report)
	if err != nil {
		return err
	}
	defer port.Close()
	if err := report(port, list.Jobs); err != nil {
		return errors.Join(err, json.NewEncoder(port).Encode(guestjob.Event{Failure: err.Error()}), drain(port))
	}
	return drain(port)
}

func report(w io.Writer, jobs []guestjob.Job) error {
	events := json.NewEncoder(w)
	started, err := describe()
	if err != nil {
		return err
	}
	if err := events.Encode(guestjob.Event{Started: &started}); err != nil {
		return err
	}
	if err := prepareUsers(); err != nil {
		return err
	}
	for _, job := range jobs {
		ended := runJob(job)
		if err := events.Encode(guestjob.Event{Ended: &ended}); err != nil {
			return err
		}
	}
	return events.Encode(guestjob.Event{Complete: true})
}

// openPort opens a serial port as a plain pipe: no echo, no translation.
func openPort(path string) (*os.File, error) {
	port, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	settings, err := unix.IoctlGetTermios(int(port.Fd()), unix.TCGETS)
	if err == nil {
		settings.Oflag &^= unix.OPOST
		settings.Lflag &^= unix.ECHO | unix.ICANON | unix.ISIG
		err = unix.IoctlSetTermios(int(port.Fd()), unix.TCSETS, settings)
	}
	if err != nil {
		port.Close()
		return nil, &os.PathError{Op: "set up", Path: path, Err: err}
	}
	return port, nil
}

// drain waits until everything has left the port (TCSBRK with an argument).
func drain(port *os.File) error { return unix.IoctlSetInt(int(port.Fd()), unix.TCSBRK, 1) }

func describe() (guestjob.Started, error) {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return guestjob.Started{}, err
	}
	return guestjob.Started{
		Release: unix.ByteSliceToString(name.Release[:]),
		Machine: unix.ByteSliceToString(name.Machine[:]),
		ABI:     landlockABI(),
	}, nil
}

// ordinaryID is the ordinary user's and its group's.
const ordinaryID = 1000

// homes are the users' home directories.
var homes = map[guestjob.User]string{guestjob.Root: "/root", guestjob.Ordinary: "/home/user"}

// prepareUsers makes what every job of a user finds.
func prepareUsers() error {
	for user, home := range homes {
		if err := os.MkdirAll(home, 0o700); err != nil {
			return err
		}
		if user == guestjob.Ordinary {
			if err := os.Chown(home, ordinaryID, ordinaryID); err != nil {
				return err
			}
		}
	}
	const passwd = "root:x:0:0::/root:/bin/bash\nuser:x:1000:1000::/home/user:/bin/bash\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n"
	if err := os.WriteFile("/etc/passwd", []byte(passwd), 0o644); err != nil {
		return err
	}
	for _, dir := range []string{"/tmp", "/var/tmp"} {
		if err := os.Chmod(dir, os.ModeSticky|0o777); err != nil {
			return err
		}
	}
	return nil
}

// maxJobOutput is how much of a job's output is reported: the end, which says
// how it went.
const maxJobOutput = 256 << 10

func runJob(job guestjob.Job) (ended guestjob.Ended) {
	ended = guestjob.Ended{Job: job.Name, ExitCode: -1}
	begin := time.Now()
	defer func() { ended.Took = time.Since(begin) }()
	restore, err := moveAway(job.Without)
	if err != nil {
		ended.Err = err.Error()
		return ended
	}
	output, code, err := execute(job)
	if err = errors.Join(err, restore()); err != nil {
		ended.Err = err.Error()
	}
	ended.ExitCode, ended.Output = code, string(output[max(0, len(output)-maxJobOutput):])
	return ended
}

// execute runs the job's program. A job that believes in another ABI is
// started by a thread on which that is arranged, and which ends with it.
func execute(job guestjob.Job) (output []byte, code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), job.Timeout)
	defer cancel()
	err = onThread(func() (err error) {
		if job.ABI != 0 {
			if err := pretendABI(ctx, job.ABI); err != nil {
				return fmt.Errorf("pretending ABI %d: %w", job.ABI, err)
			}
		}
		output, err = command(ctx, job).CombinedOutput()
		return err
	})
	if ctx.Err() != nil {
		return output, -1, fmt.Errorf("after %v: %w", job.Timeout, ctx.Err())
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return output, exit.ExitCode(), nil
	}
	if err != nil {
		return output, -1, err
	}
	return output, 0, nil
}

func command(ctx context.Context, job guestjob.Job) *exec.Cmd {
	home := homes[job.User]
	cmd := exec.CommandContext(ctx, job.Argv[0], job.Argv[1:]...)
	cmd.Dir, cmd.Env = home, append(append(environment(), "HOME="+home), job.Env...)
	cmd.WaitDelay = 10 * time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if job.User == guestjob.Ordinary {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: ordinaryID, Gid: ordinaryID}
	}
	return cmd
}

// onThread calls f on a thread that does nothing else and ends with it.
func onThread(f func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked
		result <- f()
	}()
	return <-result
}

// moveAway hides files until restore is called.
func moveAway(paths []string) (restore func() error, err error) {
	const suffix = ".away"
	for _, path := range paths {
		if err := os.Rename(path, filepath.Clean(path)+suffix); err != nil {
			return nil, err
		}
	}
	return func() error {
		var errs []error
		for _, path := range paths {
			errs = append(errs, os.Rename(path+suffix, path))
		}
		return errors.Join(errs...)
	}, nil
}
