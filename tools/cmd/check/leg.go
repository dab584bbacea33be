package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// leg is one thing that is checked.
type leg struct {
	name, about string
	// needs are looked for before the leg runs; if one is missing it does not.
	needs []need
	// run returns a short fact for the leg's line; the error's text is shown
	// beneath it.
	run func(context.Context, *session) (string, error)
}

// need is something outside the checkout that a leg cannot do without.
type need struct {
	// what it is, and how a person gets it.
	what, get string
	// missing returns why it is not usable here, or nil.
	missing func(context.Context) error
	// packages are the Debian packages that bring it.
	packages []string
}

// status is how a leg ended.
type status string

const (
	passed  status = "ok"
	failed  status = "FAIL"
	skipped status = "skip"
)

// runLegs runs the picked legs in order and reports each as it ends. What
// they need is looked for, and installed, before the first one runs, since a
// test run serves several legs. A required leg that was not picked has not
// run, and so has failed.
func (s *session) runLegs(ctx context.Context, legs []leg) []status {
	for _, l := range legs {
		if s.picked(l.name) {
			s.unmet[l.name] = s.meet(ctx, l)
		}
	}
	var results []status
	for _, l := range legs {
		required := slices.Contains(s.opts.require, l.name)
		if !s.picked(l.name) && !required {
			continue
		}
		start := time.Now()
		st, fact, detail := s.runLeg(ctx, l)
		if st == skipped && required {
			st, fact = failed, "required, but could not run: "+fact
		}
		s.report(l.name, st, time.Since(start), fact, detail)
		results = append(results, st)
	}
	return results
}

func (s *session) runLeg(ctx context.Context, l leg) (st status, fact, detail string) {
	unmet, picked := s.unmet[l.name]
	if !picked {
		return skipped, "not picked by -run or -quick", ""
	}
	if unmet != "" {
		return skipped, unmet, ""
	}
	fact, err := l.run(ctx, s)
	if err != nil {
		return failed, fact, err.Error()
	}
	return passed, fact, ""
}

// meet says which need of the leg is missing and how to get it, after trying
// to install it where that was asked for; "" when there is all it needs.
func (s *session) meet(ctx context.Context, l leg) string {
	for _, n := range l.needs {
		err := n.missing(ctx)
		if err != nil && s.opts.install && len(n.packages) > 0 {
			if err = s.install(ctx, n.packages); err == nil {
				err = n.missing(ctx)
			}
		}
		if err != nil {
			return fmt.Sprintf("needs %s; %s (%v)", n.what, n.get, err)
		}
	}
	return ""
}
