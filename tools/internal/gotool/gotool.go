// Package gotool runs the go command, and other tools, for the programs that
// look after the checkout.
package gotool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// Cmd is how one program is run. The zero value runs it here, with this
// process's environment.
type Cmd struct {
	// Dir is where it runs; "" is the current directory.
	Dir string
	// Env entries (NAME=value) are added to this process's environment.
	Env []string
	// Stdout, if not nil, takes standard output as it comes.
	Stdout io.Writer
	// Prepare, if not nil, sees the command before it starts.
	Prepare func(*exec.Cmd)
}

// Error is a program that could not be run or that failed.
type Error struct {
	Args []string
	Dir  string
	// Output is what the program printed, on both streams.
	Output string
	Err    error
}

// Error gives the command, where it ran, the reason, and what it printed.
func (e *Error) Error() string {
	return fmt.Sprintf("%s (in %s): %v\n%s", strings.Join(e.Args, " "), e.Dir, e.Err, strings.TrimRight(e.Output, "\n"))
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// killDelay is how long a program may take to end after its context did.
const killDelay = 10 * time.Second

// Run runs a program to its end and returns its standard output, which is
// empty if it went to c.Stdout. The error, if any, is an [*Error].
func (c Cmd) Run(ctx context.Context, args ...string) (string, error) {
	var stdout bytes.Buffer
	var both lockedBuffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdout = io.MultiWriter(&stdout, &both)
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	cmd.Stderr = &both
	cmd.WaitDelay = killDelay
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if c.Prepare != nil {
		c.Prepare(cmd)
	}
	if err := cmd.Run(); err != nil {
		return stdout.String(), &Error{Args: args, Dir: c.Dir, Output: both.String(), Err: err}
	}
	return stdout.String(), nil
}

// lockedBuffer takes both streams of a program, which are copied at once.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// Go runs the go command.
func (c Cmd) Go(ctx context.Context, args ...string) (string, error) {
	return c.Run(ctx, slices.Concat([]string{"go"}, args)...)
}

// Git runs git, whoever owns the repository: what a program here reads from it
// is what it was itself started from.
func (c Cmd) Git(ctx context.Context, args ...string) (string, error) {
	return c.Run(ctx, slices.Concat([]string{"git", "-c", "safe.directory=*"}, args)...)
}

// Env returns the settings of the go command by name, as `go env` sees them:
// from the environment, the configuration file, and the defaults.
func Env(ctx context.Context, names ...string) (map[string]string, error) {
	out, err := Cmd{}.Go(ctx, slices.Concat([]string{"env", "-json"}, names)...)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	return values, json.Unmarshal([]byte(out), &values)
}
