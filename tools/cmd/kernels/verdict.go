package main

import (
	"errors"
	"fmt"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox/sandboxtest"
	"github.com/dsh-go/dsh/tools/cmd/kernels/internal/guestjob"
)

// outcome is what became of a kernel.
type outcome struct {
	kernel
	report guestjob.Report
	rows   []row
	err    error
}

// row is a measurement with the ABI under which it was made; 0 is the
// kernel's own.
type row struct {
	guestjob.Row
	masked int
}

// judge checks that every job ran to its end, that every claim held, and that
// no runner was missing that the kernel is known to carry.
func (o *outcome) judge(jobs []guestjob.Job) {
	errs := []error{o.checkABI(o.report.ABI)}
	for _, job := range jobs {
		if err := o.report.Check(job); err != nil {
			errs = append(errs, err)
		} else if job.LastLine == guestjob.MeasuredLine {
			errs = append(errs, o.measured(job))
		}
	}
	o.err = errors.Join(errs...)
}

// measured reads the rows of a job and checks each.
func (o *outcome) measured(job guestjob.Job) error {
	ended, _ := o.report.Find(job.Name)
	rows, err := guestjob.Rows(ended.Output)
	if err == nil && len(rows) == 0 {
		err = guestjob.ErrIncomplete
	}
	errs := []error{err}
	for _, r := range rows {
		o.rows = append(o.rows, row{r, job.ABI})
		if err := o.checkRow(row{r, job.ABI}); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %s: %w", job.Name, r.Runner, r.Mode, err))
		}
	}
	return errors.Join(errs...)
}

var errNotPartial = errors.New("neither full, nor partial with gaps")

func (o *outcome) checkRow(r row) error {
	if r.Unusable != "" {
		if r.Runner != "bwrap" && o.abi == 0 {
			return nil
		}
		return fmt.Errorf("unusable: %s", r.Unusable)
	}
	if r.Enforcement == "" || (len(r.Gaps) > 0) != (r.Enforcement == "partial") {
		return errNotPartial
	}
	var errs []error
	for _, violation := range r.Violations {
		if !o.limit(r.masked, violation) {
			errs = append(errs, errors.New(violation.String()))
		}
	}
	return errors.Join(errs...)
}

// limit reports whether something that the mode allows is refused for a known
// reason: ABI 1 cannot let files move between directories (landlock(7)).
func (o *outcome) limit(masked int, v sandboxtest.Violation) bool {
	abi := o.report.ABI
	if masked != 0 {
		abi = masked
	}
	moves := v.Effect == sandbox.EffectRenameAcross || v.Effect == sandbox.EffectHardLink
	return abi == 1 && v.Kind == sandboxtest.Useless && moves
}
