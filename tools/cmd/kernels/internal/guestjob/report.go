package guestjob

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Report is what a guest said.
type Report struct {
	Started
	Ended []Ended
}

// Read reads the report of a guest that has ended. The error is not nil unless
// the guest came to its last line; what was read until then is returned with
// it.
func Read(r io.Reader) (Report, error) {
	var report Report
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return report, ErrIncomplete
		}
		if err != nil {
			return report, err
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		var event Event
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			return report, fmt.Errorf("%w: %.100q: %w", ErrGarbled, line, err)
		}
		if event.Complete {
			return report, nil
		}
		if event.Failure != "" {
			return report, fmt.Errorf("%w: %s", ErrIncomplete, event.Failure)
		}
		report.add(event)
	}
}

func (r *Report) add(e Event) {
	if e.Started != nil {
		r.Started = *e.Started
	}
	if e.Ended != nil {
		r.Ended = append(r.Ended, *e.Ended)
	}
}

// JobError is a job that did not go as it should.
type JobError struct {
	Job    string
	Reason string
	// Output is what it printed.
	Output string
}

// Error gives the job, the reason and the output.
func (e *JobError) Error() string {
	return fmt.Sprintf("%s: %s\n%s", e.Job, e.Reason, strings.TrimRight(e.Output, "\n"))
}

// Check returns an error unless the job was run, exited 0 and came to its last
// line.
func (r Report) Check(j Job) error {
	ended, ran := r.Find(j.Name)
	switch {
	case !ran:
		return &JobError{Job: j.Name, Reason: "it was not run"}
	case ended.Err != "":
		return &JobError{j.Name, ended.Err, ended.Output}
	case ended.ExitCode != 0:
		return &JobError{j.Name, fmt.Sprint("exit code ", ended.ExitCode), ended.Output}
	case lastLine(ended.Output) != j.LastLine:
		return &JobError{j.Name, fmt.Sprintf("its last line is not %q", j.LastLine), ended.Output}
	}
	return nil
}

// Find returns how a job ended.
func (r Report) Find(name string) (Ended, bool) {
	for _, ended := range r.Ended {
		if ended.Job == name {
			return ended, true
		}
	}
	return Ended{}, false
}

func lastLine(output string) string {
	output = strings.TrimRight(output, "\n")
	return output[strings.LastIndexByte(output, '\n')+1:]
}

// Rows reads the rows of a measurement from its output.
func Rows(output string) ([]Row, error) {
	body, complete := strings.CutSuffix(output, MeasuredLine+"\n")
	if !complete {
		return nil, ErrIncomplete
	}
	var rows []Row
	decoder := json.NewDecoder(strings.NewReader(body))
	for {
		var row Row
		err := decoder.Decode(&row)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, fmt.Errorf("%w: %w", ErrGarbled, err)
		}
		rows = append(rows, row)
	}
}
