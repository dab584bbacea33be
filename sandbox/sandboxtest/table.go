package sandboxtest

import (
	"fmt"
	"slices"

	"github.com/dsh-go/dsh/sandbox"
)

// Table is the truth about one provider, as one user, on one machine.
type Table struct {
	// Runner names the backend, as in [sandbox.Report].
	Runner string
	// User is "root" or "ordinary user".
	User string
	// System is the kernel's or the operating system's name and version.
	System string
	// Cells are ordered by mode, then by effect, then by place.
	Cells []Cell
	// Violations are the claims that do not hold.
	Violations []Violation
	// Untried names what could not be tried, with the reason.
	Untried []string
}

// Cell is the truth about one effect at one place under one mode.
type Cell struct {
	// Mode is the mode under which the effect was tried.
	Mode sandbox.Mode
	// Effect is the row of the mode's table.
	Effect sandbox.Effect
	// Place is the column.
	Place sandbox.Place
	// Verdict is what the attempts came to, taken together.
	Verdict Verdict
	// Trials is how many attempts could be made here at all, and Untriable how
	// many could not: they fail without a sandbox, too.
	Trials, Untriable int
}

// Verdict is what was observed.
type Verdict string

const (
	// Refused means that no attempt changed the host.
	Refused Verdict = "refused"
	// Allowed means that the mode allows the effect, and that it was had.
	Allowed Verdict = "allowed"
	// AllowedPrivately means the same in a place that the sandbox has to
	// itself, so that the host's stays as it is.
	AllowedPrivately Verdict = "private"
	// DeclaredGap means that the host was changed although the mode forbids
	// it, as the report says.
	DeclaredGap Verdict = "gap"
	// Violated means that the cell is not as it was claimed to be.
	Violated Verdict = "VIOLATED"
	// NotTriable means that nothing is known: on this machine and as this user
	// the effect cannot be had without a sandbox either.
	NotTriable Verdict = "not triable"
)

// Count returns how many cells have each verdict.
func (t *Table) Count() map[Verdict]int {
	counts := make(map[Verdict]int)
	for _, cell := range t.Cells {
		counts[cell.Verdict]++
	}
	return counts
}

// find returns the cell of the table, or nil.
func (t *Table) find(mode sandbox.Mode, effect sandbox.Effect, place sandbox.Place) *Cell {
	at := slices.IndexFunc(t.Cells, func(c Cell) bool { return c.Mode == mode && c.Effect == effect && c.Place == place })
	if at < 0 {
		return nil
	}
	return &t.Cells[at]
}

// effects are the rows of the table.
var effects = []sandbox.Effect{
	sandbox.EffectCreate, sandbox.EffectOverwrite, sandbox.EffectAppend, sandbox.EffectTruncate,
	sandbox.EffectTruncateDescriptor, sandbox.EffectUnlink, sandbox.EffectRename, sandbox.EffectRenameAcross,
	sandbox.EffectHardLink, sandbox.EffectSymlink, sandbox.EffectMkdir, sandbox.EffectRmdir, sandbox.EffectFIFO,
	sandbox.EffectSocket, sandbox.EffectDeviceNode, sandbox.EffectDeviceControl, sandbox.EffectMode, sandbox.EffectOwner,
	sandbox.EffectTimes, sandbox.EffectXattr, sandbox.EffectInodeFlags, sandbox.EffectRemount,
	sandbox.EffectKernelSetting, sandbox.EffectProcLink, sandbox.EffectInheritedFD, sandbox.EffectOpenByHandle,
	sandbox.EffectIOUring,
}

// places are the columns of the table.
var places = slices.Concat(directories, []sandbox.Place{sandbox.PlaceDev, sandbox.PlaceProc})

// Kind says what is wrong.
type Kind string

const (
	// UndeclaredGap is a change that neither the mode allows nor a gap of the
	// report declares.
	UndeclaredGap Kind = "undeclared gap"
	// UnobservedGap is a gap that the report declares and that was not seen.
	UnobservedGap Kind = "declared gap that was not observed"
	// Useless is a refusal of what the mode allows.
	Useless Kind = "refused although the mode allows it"
	// Broken is a contradiction in what the provider says, or another breach of
	// the contract of [sandbox.Provider].
	Broken Kind = "broken contract"
)

// Violation is a claim that does not hold.
type Violation struct {
	// Kind says what is wrong.
	Kind Kind
	// Mode is the mode under which it was found out.
	Mode sandbox.Mode
	// Effect is what the claim is about; empty for [Broken].
	Effect sandbox.Effect
	// Place is where; empty for [Broken].
	Place sandbox.Place
	// Attempt names the way in which it was found out: an attempt, or for
	// [Broken] the promise that is not kept.
	Attempt string
	// Detail says what was seen.
	Detail string
}

// String says everything on one line.
func (v Violation) String() string {
	if v.Kind == Broken {
		return fmt.Sprintf("%s: %s, %s: %s", v.Kind, v.Mode, v.Attempt, v.Detail)
	}
	return fmt.Sprintf("%s: %s, %s in %s, by %s: %s", v.Kind, v.Mode, v.Effect, v.Place, v.Attempt, v.Detail)
}
