package sandboxtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh/sandbox"
)

// staged is a trial on the host's side.
type staged struct {
	trial
	attempt
	before, after string
	result        result
	// unprepared says why the attempt could not even be prepared.
	unprepared error
}

// worked reports whether the attempt was made, says so, and had its effect.
func (s *staged) worked() bool {
	return s.unprepared == nil && s.result.Err == "" && s.changed()
}

// changed reports whether the attempt had its effect on the host.
func (s *staged) changed() bool {
	succeeded := s.unprepared == nil && s.result.Err == ""
	switch s.judging() {
	case byResult:
		return succeeded
	case byBoth:
		return succeeded && s.before != s.after
	default:
		return s.before != s.after
	}
}

// judging is the attempt's, but for the machine's inodes: those in /dev are
// shared by many trials, and what stands in /proc is the same kernel object
// however it is looked at.
func (s *staged) judging() judging {
	onNode := s.Fixed && len(s.targets) == 0 && s.observe == nil
	switch {
	case !onNode:
		return s.judged
	case s.Place == sandbox.PlaceProc && s.effect != sandbox.EffectTimes:
		return byResult
	default:
		return byBoth
	}
}

func (s *staged) look(g *ground) string {
	if s.observe != nil {
		return s.observe(g, &s.trial)
	}
	return observeFiles(g, &s.trial)
}

// detail says what was seen, for a message.
func (s *staged) detail() string {
	if s.changed() && s.before != s.after {
		return s.Prefix + ": " + difference(s.before, s.after)
	}
	return s.Prefix + ": " + s.reason()
}

// reason says why the attempt failed, as far as it tells.
func (s *staged) reason() string {
	switch {
	case s.unprepared != nil:
		return "cannot be prepared: " + s.unprepared.Error()
	case s.result.Err != "":
		return s.result.Err
	case s.changed():
		return "it succeeded"
	default:
		return "it claims to have succeeded, but nothing changed"
	}
}

// stage makes the victims of every attempt, each attempt its own, as far as
// they are wanted.
func (g *ground) stage(mode sandbox.Mode, wanted choice) []*staged {
	var all []*staged
	for i, a := range catalog() {
		for _, v := range g.victims(a) {
			g.next++
			s := &staged{attempt: a, trial: trial{ID: g.next, Attempt: i, Place: v.place, victim: v.victim}}
			if !s.Fixed {
				s.Prefix += fmt.Sprint(g.next, "-")
			}
			if !wanted(s) {
				continue
			}
			s.Populate = v.place == sandbox.PlaceTemp && mode == sandbox.WorkspaceWrite
			if s.unprepared = s.ready(g); s.unprepared == nil {
				s.before = s.look(g)
			}
			all = append(all, s)
		}
	}
	return all
}

// ready makes what the attempt needs on the host.
func (s *staged) ready(g *ground) error {
	if !s.Fixed && s.Place != sandbox.PlaceProc {
		if err := s.populate(s.with); err != nil {
			return err
		}
	}
	if s.prepare != nil {
		return s.prepare(g, &s.trial)
	}
	return nil
}

// placed is a victim that is still to be made.
type placed struct {
	place sandbox.Place
	victim
}

// victims are those of an attempt, at every place.
func (g *ground) victims(a attempt) []placed {
	var all []placed
	add := func(place sandbox.Place, fixed bool, prefixes []string) {
		for _, prefix := range prefixes {
			all = append(all, placed{place, victim{Prefix: prefix, Fixed: fixed, Workspace: g.workspace()}})
		}
	}
	switch {
	case len(a.targets) > 0:
		add(a.places[0], true, a.targets)
	case a.places != nil:
		for _, place := range a.places {
			add(place, false, g.prefixes(place))
		}
	default:
		for _, place := range places {
			add(place, false, g.prefixes(place))
			add(place, true, nodes(a.effect)[place])
		}
	}
	return all
}

// starter starts the probe somehow.
type starter func(ctx context.Context, argv []string) (Ended, error)

// run has the probe make the trials, and looks at the host afterwards.
func (g *ground) run(ctx context.Context, all []*staged, start starter) error {
	defer restoreNodes()
	for _, group := range sandboxes(all) {
		if err := g.runTogether(ctx, group, start); err != nil {
			return err
		}
	}
	for _, s := range all {
		if s.unprepared == nil {
			s.after = s.look(g)
		}
	}
	return g.endTrials()
}

// sandboxes groups the trials by the sandbox in which they are to be made.
func sandboxes(all []*staged) [][]*staged {
	groups := [][]*staged{nil}
	at := make(map[int]int) // by attempt, its own group
	for _, s := range all {
		switch own, known := at[s.Attempt]; {
		case s.unprepared != nil:
		case !s.alone:
			groups[0] = append(groups[0], s)
		case known:
			groups[own] = append(groups[own], s)
		default:
			at[s.Attempt] = len(groups)
			groups = append(groups, []*staged{s})
		}
	}
	return groups
}

// runTogether makes trials in one sandbox.
func (g *ground) runTogether(ctx context.Context, group []*staged, start starter) error {
	trials := make([]trial, len(group))
	for i, s := range group {
		trials[i] = s.trial
	}
	data, err := json.Marshal(trials)
	if err != nil {
		return err
	}
	g.next++
	plan := filepath.Join(g.base, fmt.Sprint("plan-", g.next))
	if err := os.WriteFile(plan, data, 0o644); err != nil {
		return err
	}
	ended, err := start(ctx, []string{g.probe(), probeArg, plan})
	if err != nil {
		return err
	}
	return collect(ended, group, trials)
}

// collect keeps what the probe says about each trial.
func collect(ended Ended, group []*staged, trials []trial) error {
	if ended.ExitCode != 0 {
		return fmt.Errorf("%w: exit code %d, stderr %q", ErrProbe, ended.ExitCode, ended.Stderr)
	}
	results, err := parse(ended.Stdout, trials)
	if err != nil {
		return err
	}
	for i, s := range group {
		s.result = results[i]
	}
	return nil
}

// byCell groups trials.
func byCell(all []*staged) map[cellKey][]*staged {
	cells := make(map[cellKey][]*staged)
	for _, s := range all {
		key := cellKey{s.effect, s.Place}
		cells[key] = append(cells[key], s)
	}
	return cells
}

type cellKey struct {
	effect sandbox.Effect
	place  sandbox.Place
}
