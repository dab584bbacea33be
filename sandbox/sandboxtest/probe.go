package sandboxtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
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

// probeMain makes the trials of a plan, or the one with the given number in
// this very process, and returns the exit code.
func probeMain(plan string, only []string) int {
	trials, err := readPlan(plan)
	if err != nil {
		fmt.Fprintln(os.Stderr, probeArg+":", err)
		return 1
	}
	runtime.LockOSThread()
	attempts := catalog()
	out := json.NewEncoder(os.Stdout)
	for _, t := range trials {
		a := attempts[t.Attempt]
		inner := len(only) == 1 && only[0] == strconv.Itoa(t.ID)
		if !inner && len(only) > 0 {
			continue
		}
		if err := out.Encode(t.make(plan, a, inner)); err != nil {
			return 1
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

// make makes the trial, in the namespaces of the attempt unless this process is
// in them already.
func (t trial) make(plan string, a attempt, inner bool) result {
	r := result{ID: t.ID}
	var err error
	if t.Populate {
		r.Private, err = t.populateHidden()
	}
	switch {
	case err != nil:
	case inner:
		if err = enter(a.via); err == nil {
			err = a.do(t.victim)
		}
	case a.via != direct:
		return t.inNamespace(plan, a.via)
	default:
		err = a.do(t.victim)
	}
	if err != nil {
		r.Err, r.Unsupported = err.Error(), unsupported(err)
	}
	return r
}

// populateHidden makes the victims if the host's are not to be seen.
func (v victim) populateHidden() (private bool, err error) {
	if _, err := os.Lstat(v.path("file")); err == nil {
		return false, nil
	}
	return true, v.populate()
}

func unsupported(err error) bool {
	for _, errno := range []syscall.Errno{syscall.ENOTTY, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// inNamespace has the probe, started once more in namespaces of its own, make
// the trial.
func (t trial) inNamespace(plan string, v via) result {
	var failures []error
	for _, attributes := range namespaces(v) {
		var stderr strings.Builder
		cmd := exec.Command(os.Args[0], probeArg, plan, strconv.Itoa(t.ID))
		cmd.SysProcAttr, cmd.Stderr = attributes, &stderr
		out, err := cmd.Output()
		var r result
		if err == nil {
			line, rest, _ := strings.Cut(string(out), "\n")
			if err = json.Unmarshal([]byte(line), &r); err == nil && strings.TrimSpace(rest) == lastLine {
				return r
			}
		}
		failures = append(failures, fmt.Errorf("%w %s", err, stderr.String()))
	}
	return result{ID: t.ID, Err: errors.Join(failures...).Error()}
}
