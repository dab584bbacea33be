package sandboxtest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/sandbox"
)

// unconfined is what this process found out without a sandbox. It depends on
// the machine and the user alone.
var unconfined findings

// findings tell for trials whether they succeed, and name those that do not.
type findings struct {
	possible map[trialKey]bool
	untried  []string
	// complete says that every attempt was made, and not only as many as it
	// took to have each effect once.
	complete bool
}

func (f findings) serves(o Options) bool { return f.complete || f.possible != nil && o.OneAttempt }

// trialKey names the same trial in every mode.
type trialKey struct {
	attempt int
	place   sandbox.Place
	target  string // a path of the machine's, or the number of the prefix
}

func (s *suite) key(t *staged) trialKey {
	key := trialKey{attempt: t.Attempt, place: t.Place, target: t.Prefix}
	if t.observe != nil || !t.Fixed {
		own := func(prefix string) bool { return strings.HasPrefix(t.Prefix, prefix) }
		key.target = fmt.Sprint(slices.IndexFunc(s.prefixes(t.Place), own))
	}
	return key
}

// control makes the attempts without a sandbox: all of them, or as many as it
// takes to know one for each spot.
func (s *suite) control(ctx context.Context) error {
	wanted := everything
	if s.options.OneAttempt {
		wanted = s.first(everything)
	}
	all, err := s.unconfinedRound(ctx, wanted)
	if err == nil && s.options.OneAttempt {
		var others []*staged
		others, err = s.unconfinedRound(ctx, s.undecided(all))
		all = append(all, others...)
	}
	if err != nil {
		return err
	}
	possible := make(map[trialKey]bool)
	for _, t := range all {
		possible[s.key(t)] = t.worked()
	}
	unconfined = findings{possible, s.untried(all, possible), !s.options.OneAttempt}
	return nil
}

func (s *suite) unconfinedRound(ctx context.Context, wanted choice) ([]*staged, error) {
	all := s.stage("", wanted)
	return all, s.run(ctx, all, func(ctx context.Context, argv []string) (Ended, error) {
		return run(ctx, Launch{Confinement: &sandbox.Confinement{Argv: argv}, Dir: s.workspace()})
	})
}

// untried names the attempts that failed, each with its places and the reason
// at the first one.
func (s *suite) untried(all []*staged, possible map[trialKey]bool) []string {
	var lines []string
	at := make(map[int]int) // by attempt, its line
	for _, t := range all {
		if possible[s.key(t)] {
			continue
		}
		where := string(t.Place)
		if t.Fixed {
			where = t.Prefix
		}
		line, known := at[t.Attempt]
		if !known {
			at[t.Attempt] = len(lines)
			lines = append(lines, fmt.Sprintf("%s by %v (%s) in %s", t.effect, t.attempt, t.reason(), where))
		} else if !strings.HasSuffix(lines[line], where) {
			lines[line] += ", " + where
		}
	}
	return lines
}
