package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/clients"
	"github.com/dsh-go/dsh/tools/internal/testrun"
)

// driveClients has clients that others wrote drive the built program, over each
// backend that is there.
func driveClients(ctx context.Context, s *session) (string, error) {
	must := s.mustBeUsable(ctx)
	results, err := clients.Run(ctx, clients.Config{Root: s.tree.Root, Env: s.tree.Env(), Require: must})
	return clientsVerdict(testRun{results, err}, must)
}

// mustBeUsable are the backends for want of which no test of the clients may
// skip: those that somebody requires, and those that are there.
func (s *session) mustBeUsable(ctx context.Context) []string {
	var must []string
	for _, l := range allLegs() {
		if !slices.Contains(backends, l.name) {
			continue
		}
		if slices.Contains(s.opts.require, l.name) || s.meet(ctx, l) == "" {
			must = append(must, l.name)
		}
	}
	return must
}

// clientsVerdict says what ran over which backend, and why the rest did not. It
// fails when the run did, and when nothing ran over a backend that must be
// usable.
func clientsVerdict(run testRun, must []string) (string, error) {
	fact := fmt.Sprintf("%d tests as the current user", len(run.results.Tests(testrun.Pass)))
	err := run.err
	for _, backend := range must {
		ran, missing := evidence(run, backend)
		fact += fmt.Sprintf(", %d over %s", ran, backend)
		if err == nil && missing != nil {
			err = fmt.Errorf("over %s: %w", backend, missing)
		}
	}
	if skips := run.results.Tests(testrun.Skip); len(skips) > 0 {
		fact += fmt.Sprintf("; %d skipped: %s", len(skips), strings.Join(reasons(skips), "; "))
	}
	return fact, err
}

// reasons are what the skipped tests say, each once.
func reasons(skips []*testrun.Test) []string {
	var all []string
	for _, t := range skips {
		if why := strings.TrimSpace(t.Output); !slices.Contains(all, why) {
			all = append(all, why)
		}
	}
	return all
}
