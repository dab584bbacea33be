package sandboxtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// result is what the probe says about one trial, on a line of its own.
type result struct {
	ID  int
	Err string `json:",omitempty"`
	// Unsupported says that what is there cannot do this at all.
	Unsupported bool `json:",omitempty"`
	// Private says that the sandbox hides the host's files at this place and
	// has a place of its own there.
	Private bool `json:",omitempty"`
}

// lastLine ends the output of a probe that was not cut short.
const lastLine = "every attempt was made"

// probeMain makes the trials of a plan, or in this very process those of the
// one attempt with the given number, and returns the exit code.
func probeMain(plan string, only []string) int {
	trials, err := readPlan(plan)
	if err == nil && len(only) > 0 {
		trials, err = ofAttempt(trials, only[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, probeArg+":", err)
		return 1
	}
	runtime.LockOSThread()
	p := probe{plan: plan, inner: len(only) > 0, attempts: catalog()}
	out := json.NewEncoder(os.Stdout)
	for len(trials) > 0 {
		same := sameAttempt(trials)
		trials = trials[len(same):]
		for _, r := range p.make(same) {
			if err := out.Encode(r); err != nil {
				return 1
			}
		}
	}
	fmt.Println(lastLine)
	return 0
}

func readPlan(path string) (trials []trial, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return trials, json.Unmarshal(data, &trials)
}

// sameAttempt returns the first trials as far as they are of one attempt.
func sameAttempt(trials []trial) []trial {
	end := slices.IndexFunc(trials, func(t trial) bool { return t.Attempt != trials[0].Attempt })
	if end < 0 {
		return trials
	}
	return trials[:end]
}

// ofAttempt picks the trials of one attempt.
func ofAttempt(trials []trial, number string) ([]trial, error) {
	attempt, err := strconv.Atoi(number)
	return slices.DeleteFunc(trials, func(t trial) bool { return t.Attempt != attempt }), err
}

// probe makes trials.
type probe struct {
	plan string
	// inner says that this process is in the namespaces of its attempt.
	inner    bool
	attempts []attempt
}

// make makes trials of the same attempt.
func (p probe) make(trials []trial) []result {
	a := p.attempts[trials[0].Attempt]
	if a.via != direct && !p.inner {
		return p.makeInNamespace(a.via, trials)
	}
	entered := enter(a.via)
	results := make([]result, len(trials))
	for i, t := range trials {
		results[i] = t.make(a, entered)
	}
	return results
}

// make makes the trial, unless the namespaces for it could not be entered.
func (t trial) make(a attempt, entered error) result {
	r, err := result{ID: t.ID}, entered
	if err == nil && t.Populate {
		r.Private, err = t.populateHidden(a.with)
	}
	if err == nil {
		err = a.do(t.victim)
	}
	if err != nil {
		r.Err, r.Unsupported = err.Error(), unsupported(err)
	}
	return r
}

// populateHidden makes the victims if the host's are not to be seen.
func (v victim) populateHidden(with []string) (private bool, err error) {
	if _, err := os.Lstat(v.path("file")); err == nil {
		return false, nil
	}
	return true, v.populate(with)
}

func unsupported(err error) bool {
	for _, errno := range []syscall.Errno{syscall.ENOTTY, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// makeInNamespace has the probe, started once more in namespaces of its own,
// make the trials.
func (p probe) makeInNamespace(v via, trials []trial) []result {
	var failures []error
	for _, attributes := range namespaces(v) {
		var stderr strings.Builder
		cmd := exec.Command(os.Args[0], probeArg, p.plan, strconv.Itoa(trials[0].Attempt))
		cmd.SysProcAttr, cmd.Stderr = attributes, &stderr
		out, err := cmd.Output()
		var results []result
		if err == nil {
			results, err = parse(string(out), trials)
		}
		if err == nil {
			return results
		}
		failures = append(failures, fmt.Errorf("%w %s", err, stderr.String()))
	}
	results := make([]result, len(trials))
	for i, t := range trials {
		results[i] = result{ID: t.ID, Err: errors.Join(failures...).Error()}
	}
	return results
}

// ErrProbe means that the probe did not run to its end, so that nothing is
// known.
var ErrProbe = errors.New("sandboxtest: the probe did not run to its end")

// parse reads a probe's output. One that was cut short, or that leaves a trial
// out, is an error.
func parse(output string, trials []trial) ([]result, error) {
	body, complete := strings.CutSuffix(output, lastLine+"\n")
	if !complete {
		return nil, fmt.Errorf("%w: its output ends %q", ErrProbe, output[max(0, len(output)-200):])
	}
	results := make([]result, len(trials))
	lines := json.NewDecoder(strings.NewReader(body))
	for i, t := range trials {
		if err := lines.Decode(&results[i]); err != nil || results[i].ID != t.ID {
			return nil, fmt.Errorf("%w: trial %d is answered by %d (%v)", ErrProbe, t.ID, results[i].ID, err)
		}
	}
	return results, nil
}
