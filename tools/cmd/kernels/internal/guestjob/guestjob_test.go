package guestjob

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func lines(t *testing.T, events ...Event) string {
	t.Helper()
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	for _, event := range events {
		if err := encoder.Encode(event); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestRead(t *testing.T) {
	started := Event{Started: &Started{Release: "6.1", ABI: 2}}
	ended := Event{Ended: &Ended{Job: "a", Output: "x\nPASS\n"}}
	complete := Event{Complete: true}
	for _, test := range []struct {
		name, text string
		jobs       int
		want       error
	}{
		{"complete", lines(t, started, ended, complete), 1, nil},
		{"with the line ends of a terminal", strings.ReplaceAll(lines(t, started, ended, complete), "\n", "\r\n"), 1, nil},
		{"without its last line", lines(t, started, ended), 1, ErrIncomplete},
		{"cut within a line", strings.TrimSuffix(lines(t, started, ended, complete), "}\n"), 1, ErrIncomplete},
		{"empty", "", 0, ErrIncomplete},
		{"the guest could not go on", lines(t, started, Event{Failure: "no disk"}), 0, ErrIncomplete},
		{"a kernel message between", lines(t, started) + "[ 1.0] oops\n" + lines(t, complete), 0, ErrGarbled},
	} {
		report, err := Read(strings.NewReader(test.text))
		if !errors.Is(err, test.want) || len(report.Ended) != test.jobs {
			t.Errorf("%s: %+v, %v", test.name, report, err)
		}
	}
}

func TestCheck(t *testing.T) {
	job := Job{Name: "a", LastLine: "PASS"}
	for _, test := range []struct {
		name  string
		ended Ended
		ok    bool
	}{
		{"it passed", Ended{Job: "a", Output: "--- PASS: T\nPASS\n"}, true},
		{"it printed something last", Ended{Job: "a", Output: "PASS\nand then\n"}, false},
		{"it said nothing", Ended{Job: "a"}, false},
		{"it failed after its last line", Ended{Job: "a", ExitCode: 2, Output: "PASS\n"}, false},
		{"a signal ended it", Ended{Job: "a", ExitCode: -1, Output: "PASS\n"}, false},
		{"it could not be run", Ended{Job: "a", Err: "no such file", Output: "PASS\n"}, false},
		{"another job", Ended{Job: "b", Output: "PASS\n"}, false},
	} {
		err := Report{Ended: []Ended{test.ended}}.Check(job)
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
		var failed *JobError
		if err != nil && (!errors.As(err, &failed) || failed.Job != "a") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestRows(t *testing.T) {
	const row = `{"Runner":"bwrap","Mode":"read-only","Enforcement":"full"}` + "\n"
	if rows, err := Rows(row + row + "measured\n"); err != nil || len(rows) != 2 || rows[1].Runner != "bwrap" {
		t.Errorf("%+v, %v", rows, err)
	}
	if _, err := Rows(row); !errors.Is(err, ErrIncomplete) {
		t.Errorf("cut short: %v", err)
	}
	if _, err := Rows("panic\n" + row + "measured\n"); !errors.Is(err, ErrGarbled) {
		t.Errorf("garbled: %v", err)
	}
}
