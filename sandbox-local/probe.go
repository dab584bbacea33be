package sandboxlocal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// probeFD is the first extra descriptor of a process that os/exec starts.
const probeFD = 3

// probeWait is how long a probe's pipes may stay open after its runner ended.
const probeWait = 200 * time.Millisecond

// probeCall is a call of the given mode with a workspace that every machine
// has.
func probeCall(mode sandbox.Mode, host sandbox.Host, argv ...string) (*call, error) {
	workspace := "/tmp"
	if info, err := os.Stat(workspace); err != nil || !info.IsDir() {
		workspace = "/usr"
	}
	return newCall(sandbox.Request{
		Argv: argv, Dir: "/", Host: host, Policy: sandbox.Policy{Mode: mode, WorkspaceRoot: workspace},
	})
}

// probeBoth has a runner confine its own --version in both modes: a program
// that is there for certain, wherever else the machine keeps its programs.
func probeBoth(ctx context.Context, tried runner, argv ...string) error {
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
		c, err := probeCall(mode, sandbox.Host{FirstFD: probeFD}, argv...)
		if err != nil {
			return err
		}
		confinement, err := tried.confine(c)
		if err != nil {
			return err
		}
		if err := try(ctx, confinement); err != nil {
			return fmt.Errorf("the %s profile failed: %w", mode, err)
		}
	}
	return nil
}

// try starts a confinement as a process group of its own, and says why it did
// not start its command or why that failed.
func try(ctx context.Context, confinement *sandbox.Confinement) error {
	// The runner dies with the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	channels, err := openChannels(confinement)
	if err != nil {
		return err
	}
	defer channels.close()
	var stderr tail
	cmd := exec.CommandContext(ctx, confinement.Argv[0], confinement.Argv[1:]...)
	cmd.Dir, cmd.Stderr, cmd.ExtraFiles, cmd.WaitDelay = "/", &stderr, channels.theirs, probeWait
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %w", errNotExecutable, err)
	}
	channels.started()
	stop := context.AfterFunc(ctx, channels.giveUp)
	defer stop()
	report, _ := io.ReadAll(channels.status)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w%s", err, stderr.suffix())
	}
	if state := confinement.Status.Read(report); state != sandbox.CommandStarted {
		return fmt.Errorf("its status says: %v", state)
	}
	return nil
}

// channels are the pipes of one probe.
type channels struct {
	status *os.File
	theirs []*os.File
}

// openChannels fills a pipe per input, which must be no longer than a pipe
// holds, and opens the one for the status.
func openChannels(confinement *sandbox.Confinement) (*channels, error) {
	c := &channels{}
	for _, input := range confinement.Inputs {
		reader, writer, err := os.Pipe()
		if err != nil {
			c.close()
			return nil, err
		}
		c.theirs = append(c.theirs, reader)
		_, err = writer.Write(input)
		if err = errors.Join(err, writer.Close()); err != nil {
			c.close()
			return nil, err
		}
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		c.close()
		return nil, err
	}
	c.status, c.theirs = reader, append(c.theirs, writer)
	return c, nil
}

// started closes what only the child needs.
func (c *channels) started() {
	for _, f := range c.theirs {
		f.Close()
	}
	c.theirs = nil
}

// giveUp ends the reading of a status that somebody else still holds open.
func (c *channels) giveUp() { _ = c.status.SetReadDeadline(time.Now()) }

func (c *channels) close() {
	c.started()
	if c.status != nil {
		c.status.Close()
	}
}

// tail keeps what a probe printed, up to a bound.
type tail struct{ bytes.Buffer }

const tailBytes = 4096

func (t *tail) Write(p []byte) (int, error) {
	if room := tailBytes - t.Len(); room > 0 {
		t.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// suffix is the printed text on one line, as it follows an error.
func (t *tail) suffix() string {
	if text := strings.Join(strings.Fields(t.String()), " "); text != "" {
		return ": " + text
	}
	return ""
}
