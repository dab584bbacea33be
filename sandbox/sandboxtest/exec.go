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
	"sync"
	"syscall"
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

// run is [Exec] for what may inherit descriptors.
func run(ctx context.Context, l Launch) (Ended, error) { return runWatched(ctx, l, watch{}) }

// watch says what to do while a launch runs.
type watch struct {
	attributes *syscall.SysProcAttr
	// during, if not nil, is called once the program is started. What it is
	// given grows meanwhile.
	during func(pid int, stdout, status *stream)
}

// runWatched starts l from the calling thread, with which a runner may die.
func runWatched(ctx context.Context, l Launch, w watch) (Ended, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	argv := l.Argv
	if l.OnThread != nil {
		argv = l.OnThread.Argv
	}
	var stdout, stderr stream
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = l.Dir, environment(l), execWait
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = &stdout, &stderr, w.attributes
	pipes, err := openPipes(l)
	if err != nil {
		return Ended{}, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	defer pipes.close()
	cmd.ExtraFiles = pipes.theirs
	if err := cmd.Start(); err != nil {
		return Ended{}, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	status, complete := pipes.started()
	if w.during != nil {
		w.during(cmd.Process.Pid, &stdout, status)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Ended{}, err
	}
	<-complete
	return Ended{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), []byte(status.String())}, nil
}

// stream is what a program has printed so far. It is safe for concurrent use.
type stream struct {
	mu      sync.Mutex
	printed bytes.Buffer
}

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.printed.Write(p)
}

func (s *stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.printed.String()
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

// started feeds the inputs and collects the status, until it is complete.
func (p *pipes) started() (status *stream, complete <-chan struct{}) {
	p.closeTheirs()
	for _, input := range p.inputs {
		go func() {
			_, _ = input.writer.Write(input.content) // the runner may have ended
			input.writer.Close()
		}()
	}
	p.inputs = nil
	status = &stream{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if p.status != nil {
			_, _ = io.Copy(status, p.status) // what there is of it is judged
		}
	}()
	return status, done
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
