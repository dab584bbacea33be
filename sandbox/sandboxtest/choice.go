package sandboxtest

import "github.com/dsh-go/dsh/sandbox"

// choice says which trials are to be made. It is asked about all of them, in
// the order of the catalog, before anything is made for them.
type choice func(*staged) bool

func everything(*staged) bool { return true }

// chosen are the trials that are made under a mode: all of them, or for one
// attempt those of which the control knows that they can succeed.
func (s *suite) chosen() choice {
	if !s.options.OneAttempt {
		return everything
	}
	return s.first(func(t *staged) bool { return unconfined.possible[s.key(t)] })
}

// spot is where an effect is tried: its trials differ in the attempt alone.
type spot struct {
	effect sandbox.Effect
	place  sandbox.Place
	target string
}

func (s *suite) spot(t *staged) spot { return spot{t.effect, t.Place, s.key(t).target} }

// first chooses the first trial of each spot that is wanted.
func (s *suite) first(wanted choice) choice {
	taken := make(map[spot]bool)
	return func(t *staged) bool {
		if taken[s.spot(t)] || !wanted(t) {
			return false
		}
		taken[s.spot(t)] = true
		return true
	}
}

// undecided chooses what was not tried of the spots of which all that was
// tried failed.
func (s *suite) undecided(tried []*staged) choice {
	had, made := make(map[spot]bool), make(map[trialKey]bool)
	for _, t := range tried {
		made[s.key(t)] = true
		had[s.spot(t)] = had[s.spot(t)] || t.worked()
	}
	return func(t *staged) bool { return !made[s.key(t)] && !had[s.spot(t)] }
}
