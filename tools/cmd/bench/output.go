package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh/bash"
	bashlocal "github.com/dsh-go/dsh/bash-local"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
	"github.com/dsh-go/dsh/tools/internal/benchtable"
)

const nowhereName = "io.Copy to nowhere"

// outputRows are about a command that prints a lot.
func outputRows(ctx context.Context, s *scene) (benchtable.Table, error) {
	collecting, err := s.collecting(ctx)
	if err != nil {
		return nil, err
	}
	spilling, err := s.spilling(ctx)
	return append(collecting, spilling...), err
}

func printing(bytes int64) string { return fmt.Sprintf("head -c %d /dev/zero", bytes) }

func (s *scene) collecting(ctx context.Context) (benchtable.Table, error) {
	const name = "collected, the tail in memory"
	executor, err := bashlocal.New(bashlocal.Config{Workdir: s.workspace, SpillBytes: -1}, s.procs)
	if err != nil {
		return nil, err
	}
	collect := printingCase(name, executor, s.scale.bytes, nil)
	timings, err := s.scale.bulk.Time(ctx, []benchtable.Case{{Name: nowhereName, Run: s.copyToNowhere}, collect})
	if err != nil {
		return nil, err
	}
	rows := throughputs(timings, s.scale.bytes, nowhereName, name, 0.9)
	growth, err := residentGrowth(func() error { return collect.Run(ctx) })
	if errors.Is(err, errors.ErrUnsupported) {
		return rows, nil
	}
	row := benchtable.Row{Name: "resident memory that collecting takes", Value: byteCount(growth)}
	row.Targets = append(row.Targets, benchtable.AtMost(row.Value, byteCount(4<<20), ""))
	return append(rows, row), err
}

func byteCount(n int64) benchtable.Quantity {
	return benchtable.Quantity{Value: float64(n), Unit: benchtable.Bytes}
}

func (s *scene) copyToNowhere(context.Context) error {
	cmd := s.bare(s.argv(printing(s.scale.bytes)))
	cmd.Stdout = nil
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, stdout)
	return errors.Join(err, cmd.Wait())
}

// printingCase runs a command that prints n bytes. Spilled, if not nil, gets
// the path of the file that holds them all.
func printingCase(name string, executor bash.Executor, n int64, spilled *string) benchtable.Case {
	return benchtable.Case{Name: name, Run: func(ctx context.Context) error {
		result, err := bash.Run(ctx, executor, bash.Request{Command: printing(n)})
		if err != nil {
			return err
		}
		if result.ExitCode != 0 || !result.Stdout.Truncated || (spilled != nil) != (result.Stdout.SpillPath != "") {
			return fmt.Errorf("%w: exit code %d, %q, spilled to %q", errFailed, result.ExitCode, result.Stderr.Text, result.Stdout.SpillPath)
		}
		if spilled != nil {
			*spilled = result.Stdout.SpillPath
		}
		return nil
	}}
}

// spilling compares a stream that goes to disk as a whole with the same
// command writing to a file itself, and with a file of the same size written
// from memory, which no command's output can be as fast as.
func (s *scene) spilling(ctx context.Context) (benchtable.Table, error) {
	const redirected, plain, name = "redirected to a file", "a file written from memory", "collected with spill"
	procs, err := subprocesslocal.New(subprocesslocal.Config{SpillDirs: []string{s.beside}})
	if err != nil {
		return nil, err
	}
	defer procs.Close(context.WithoutCancel(ctx))
	executor, err := bashlocal.New(bashlocal.Config{Workdir: s.workspace, SpillBytes: s.scale.spillBytes}, procs)
	if err != nil {
		return nil, err
	}
	var spilled string
	spill := printingCase(name, executor, s.scale.spillBytes, &spilled)
	spill.After = func() error { return os.Remove(spilled) }
	path := filepath.Join(s.beside, "plain")
	remove := func() error { return os.Remove(path) }
	redirect := s.bareCase(redirected, s.argv(printing(s.scale.spillBytes)+" > ../beside/plain"))
	redirect.After = remove
	write := func(context.Context) error { return writeFile(path, s.scale.spillBytes) }
	timings, err := s.scale.bulk.Time(ctx, []benchtable.Case{redirect, {Name: plain, Run: write, After: remove}, spill})
	if err != nil {
		return nil, err
	}
	rows := throughputs(timings, s.scale.spillBytes, redirected, name, 0.7)
	fromMemory := throughputs(timings, s.scale.spillBytes, plain, name, 0)
	rows[1].Ratios = append(rows[1].Ratios, fromMemory[1].Ratios...)
	return benchtable.Table{rows[0], fromMemory[0], rows[1]}, nil
}

func writeFile(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	chunk := make([]byte, 64<<10)
	for written := int64(0); err == nil && written < size; written += int64(len(chunk)) {
		_, err = f.Write(chunk)
	}
	return errors.Join(err, f.Close())
}

// throughputs are the rows of a floor and of what is compared with it. The
// target is for the ratio of the two throughputs; zero means that there is none.
func throughputs(timings benchtable.Timings, n int64, floor, name string, target float64) benchtable.Table {
	round, same := timings.Against(name, floor)
	row := func(name string, r benchtable.Round) benchtable.Row {
		slow := benchtable.Throughput(n, r.P90)
		return benchtable.Row{
			Name:  fmt.Sprintf("%s, %s", name, byteCount(n)),
			Value: benchtable.Throughput(n, r.Median),
			P90:   &slow,
		}
	}
	ours := row(name, round)
	ratio := same.Median.Seconds() / round.Median.Seconds()
	ours.Ratios = []benchtable.Ratio{{To: floor, Value: ratio}}
	if target > 0 {
		got, limit := benchtable.Quantity{Value: ratio}, benchtable.Quantity{Value: target}
		ours.Targets = []benchtable.Target{benchtable.AtLeast(got, limit, "× "+floor)}
	}
	return benchtable.Table{row(floor, same), ours}
}
