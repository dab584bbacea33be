package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/dsh-go/dsh/bash"
	bashlocal "github.com/dsh-go/dsh/bash-local"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
	"github.com/dsh-go/dsh/tools/internal/benchtable"
)

// The commands of the background end by themselves should bench be killed.
const (
	idle     = "exec sleep 100"
	stubborn = `trap "" TERM; echo ready; exec sleep 100`
)

// backgroundRows are about many commands in the background at once.
func backgroundRows(ctx context.Context, s *scene) (benchtable.Table, error) {
	ended, cost, err := s.endIdle(ctx)
	if err != nil {
		return nil, err
	}
	endedByForce, err := s.endStubborn(ctx)
	if err != nil {
		return nil, err
	}
	bare, err := s.bareIdle(ctx)
	if err != nil {
		return nil, err
	}
	n := s.scale.processes
	rows := cost.compared(bare, n)
	limit := benchtable.Duration(s.scale.grace + time.Second)
	for _, end := range []struct {
		what string
		took time.Duration
	}{{"idle commands ended by Close", ended}, {"that ignore SIGTERM ended by Close, grace " + s.scale.grace.String(), endedByForce}} {
		row := benchtable.Row{Name: fmt.Sprintf("%d %s", n, end.what), Value: benchtable.Duration(end.took)}
		row.Targets = []benchtable.Target{benchtable.AtMost(row.Value, limit, "")}
		rows = append(rows, row)
	}
	return rows, nil
}

// endIdle measures what idle commands cost, and how long Close takes to end
// them.
func (s *scene) endIdle(ctx context.Context) (time.Duration, holdings, error) {
	procs := &subprocesslocal.Service{}
	defer procs.Close(context.WithoutCancel(ctx)) // again, after an error
	// What the service holds once and for all is not the processes'.
	if _, err := s.startMany(ctx, procs, 1, nothing); err != nil {
		return 0, holdings{}, err
	}
	before := held()
	processes, err := s.startMany(ctx, procs, s.scale.processes, idle)
	if err != nil {
		return 0, holdings{}, err
	}
	cost := held().minus(before)
	took, err := closeAll(ctx, procs)
	for _, p := range processes {
		if state := p.State(); err == nil && state.Status != bash.StatusKilled {
			err = fmt.Errorf("%w: an idle command %+v", errFailed, state)
		}
	}
	return took, cost, err
}

// endStubborn measures how long Close takes to end commands that do not heed
// the polite signal.
func (s *scene) endStubborn(ctx context.Context) (time.Duration, error) {
	procs := &subprocesslocal.Service{}
	defer procs.Close(context.WithoutCancel(ctx)) // again, after an error
	processes, err := s.startMany(ctx, procs, s.scale.processes, stubborn)
	if err != nil {
		return 0, err
	}
	for _, p := range processes {
		if err := await(ctx, func() bool { return p.ReadOutput().Text != "" }); err != nil {
			return 0, err
		}
	}
	return closeAll(ctx, procs)
}

func (s *scene) startMany(ctx context.Context, procs *subprocesslocal.Service, n int, command string) ([]bash.Process, error) {
	executor, err := bashlocal.New(bashlocal.Config{Workdir: s.workspace, Grace: s.scale.grace}, procs)
	if err != nil {
		return nil, err
	}
	processes := make([]bash.Process, n)
	for i := range processes {
		if processes[i], err = bash.Start(ctx, executor, bash.Request{Command: command}); err != nil {
			return nil, err
		}
	}
	return processes, nil
}

func closeAll(ctx context.Context, procs *subprocesslocal.Service) (time.Duration, error) {
	start := time.Now()
	err := procs.Close(ctx)
	return time.Since(start), err
}

// bareIdle measures what the same commands cost with os/exec alone.
func (s *scene) bareIdle(ctx context.Context) (holdings, error) {
	before := held()
	var running []*exec.Cmd
	ended := make(chan error, s.scale.processes)
	var err error
	for range s.scale.processes {
		cmd := s.bare(s.argv(idle))
		if err = errors.Join(ctx.Err(), cmd.Start()); err != nil {
			break
		}
		running = append(running, cmd)
		go func() { ended <- cmd.Wait() }()
	}
	cost := held().minus(before)
	for _, cmd := range running {
		err = errors.Join(err, cmd.Process.Kill())
	}
	for range running {
		<-ended // that it was killed
	}
	return cost, err
}
