package sandboxtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// execFD is the first extra descriptor of a process that os/exec starts.
const execFD = 3

// execWait is how long pipes may stay open after the program ended.
const execWait = 5 * time.Second

// Exec starts a confinement with os/exec and waits for its end. It serves an
// [Options.Start] that confines the calling thread itself: such a function
// runs OnThread.Restrict and then Exec on the same thread. It marks every
// descriptor of this process but 0, 1 and 2 close-on-exec. An error means that
// nothing is known about the command; an exit code is not an error.
func Exec(ctx context.Context, l Launch) (Ended, error) {
	closeOnExec()
	return run(ctx, l)
}

// run starts l from the calling thread, with which a runner may die.
func run(ctx context.Context, l Launch) (Ended, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	argv := l.Argv
	if l.OnThread != nil {
		argv = l.OnThread.Argv
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = l.Dir, environment(l), execWait
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	pipes, err := openPipes(l)
	if err != nil {
		return Ended{}, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	defer pipes.close()
	cmd.ExtraFiles = pipes.theirs
	if err := cmd.Start(); err != nil {
		return Ended{}, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	status := pipes.started()
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Ended{}, err
	}
	return Ended{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), <-status}, nil
}

// environment is this process's without the names that must not be inherited,
// and with the confinement's entries.
func environment(l Launch) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(l.Unset, name)
	})
	for name, value := range l.Env {
		env = append(env, name+"="+value)
	}
	return env
}

// pipes are the extra descriptors of one launch.
type pipes struct {
	inputs []inputPipe
	status *os.File // nil if none was asked for
	theirs []*os.File
}

type inputPipe struct {
	writer  *os.File
	content []byte
}

func openPipes(l Launch) (*pipes, error) {
	p := &pipes{}
	for _, content := range l.Inputs {
		reader, writer, err := os.Pipe()
		if err != nil {
			p.close()
			return nil, err
		}
		p.theirs = append(p.theirs, reader)
		p.inputs = append(p.inputs, inputPipe{writer, content})
	}
	if l.Status != nil {
		reader, writer, err := os.Pipe()
		if err != nil {
			p.close()
			return nil, err
		}
		p.status, p.theirs = reader, append(p.theirs, writer)
	}
	return p, nil
}

// started feeds the inputs and collects the status, which it then sends.
func (p *pipes) started() <-chan []byte {
	p.closeTheirs()
	for _, input := range p.inputs {
		go func() {
			_, _ = input.writer.Write(input.content) // the runner may have ended
			input.writer.Close()
		}()
	}
	p.inputs = nil
	status := make(chan []byte, 1)
	go func() {
		var all []byte
		if p.status != nil {
			all, _ = io.ReadAll(p.status)
		}
		status <- all
	}()
	return status
}

func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		f.Close()
	}
	p.theirs = nil
}

func (p *pipes) close() {
	p.closeTheirs()
	for _, input := range p.inputs {
		input.writer.Close()
	}
	if p.status != nil {
		p.status.Close()
	}
}
