package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/tools/internal/benchtable"
)

const (
	pollName = "poll with nothing new"
	readName = "poll with 1 KiB new"
)

// pollingRows are about a caller that asks a background command again and
// again what it has printed.
func pollingRows(ctx context.Context, s *scene) (benchtable.Table, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the commands
	process, err := bash.Start(ctx, s.local, bash.Request{Command: "printf %s something; exec sleep 600"})
	if err != nil {
		return nil, err
	}
	if err := await(ctx, func() bool { return process.ReadOutput().Text != "" }); err != nil {
		return nil, err
	}
	reader, length, err := s.printed(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := timeCalls(ctx, s, []benchtable.Case{
		times(pollName, func() bool { return process.ReadOutput().Text == "" }),
		times(readName, func() bool { return len(reader.ReadFrom(length-1024).Text) == 1024 }),
	}, nil)
	if err != nil {
		return nil, err
	}
	// What the runtime itself allocates meanwhile is not the poll's.
	polled := benchtable.Quantity{Value: float64(int(rows[0].Allocations.Count + 0.5))}
	rows[0].Targets = []benchtable.Target{benchtable.AtMost(polled, benchtable.Quantity{}, "allocations")}
	return rows, nil
}

func times(name string, call func() bool) benchtable.Case {
	return benchtable.Case{Name: name, Times: batch, Run: func(context.Context) error {
		for range batch {
			if !call() {
				return fmt.Errorf("%w: unexpected output", errFailed)
			}
		}
		return nil
	}}
}

// printed returns the output of a command that printed more than is kept in
// memory and goes on running, and how much it printed.
func (s *scene) printed(ctx context.Context) (subprocess.Reader, int64, error) {
	const length = 100_000
	command := "printf %s " + strings.Repeat("x", length) + "; exec sleep 600"
	handle, err := s.procs.Start(ctx, subprocess.Spec{
		Argv:   s.argv(command),
		Dir:    s.workspace,
		Stdout: subprocess.Output{MaxBytes: length / 2},
	})
	if err != nil {
		return nil, 0, err
	}
	return handle.Stdout(), length, await(ctx, func() bool { return handle.Stdout().ReadFrom(length).Next == length })
}

// await waits for a condition, as long as it takes.
func await(ctx context.Context, condition func() bool) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
