package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// tidied is a go.mod and a go.sum as `go mod tidy` leaves them. The sums
// include those of the siblings as they are published here.
type tidied struct{ mod, sum string }

// tidy runs `go mod tidy` on the module in the snapshot.
func (r *rehearsal) tidy(ctx context.Context, m workspace.Module) (before, after tidied, err error) {
	if before, err = readTidied(m.Dir); err != nil {
		return before, after, err
	}
	if _, err = r.in(m.Dir).Go(ctx, "mod", "tidy"); err != nil {
		return before, after, err
	}
	after, err = readTidied(m.Dir)
	return before, after, err
}

func readTidied(dir string) (tidied, error) {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return tidied{}, err
	}
	sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return tidied{}, err
	}
	return tidied{string(mod), string(sum)}, nil
}

// write puts the two files where they belong in a module's directory, or
// anywhere else for -modfile. An empty go.sum is none.
func (t tidied) write(dir string) error {
	err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(t.mod), 0o644)
	sum := filepath.Join(dir, "go.sum")
	if t.sum != "" {
		return errors.Join(err, os.WriteFile(sum, []byte(t.sum), 0o644))
	}
	if removeErr := os.Remove(sum); !errors.Is(removeErr, os.ErrNotExist) {
		err = errors.Join(err, removeErr)
	}
	return err
}

// published takes out the sums of siblings that nobody can have yet.
func (t tidied) published(tree *workspace.Workspace) tidied {
	var kept strings.Builder
	for line := range strings.Lines(t.sum) {
		if !tree.SumsUnreleased(line) {
			kept.WriteString(line)
		}
	}
	return tidied{t.mod, kept.String()}
}

// UntidyError is a go.mod or go.sum that `go mod tidy` would change.
type UntidyError struct {
	Module string
	// Diff is the lines that it would take out (-) and put in (+).
	Diff []string
}

// Error gives the lines and the remedy.
func (e *UntidyError) Error() string {
	return fmt.Sprintf("%s is not tidy (go run ./tools/cmd/rehearse -tidy mends it):\n%s", e.Module, strings.Join(e.Diff, "\n"))
}

// untidy returns an [*UntidyError] when the two differ, or nil.
func untidy(module string, before, after tidied) error {
	diff := slices.Concat(diffLines(before.mod, after.mod), diffLines(before.sum, after.sum))
	if len(diff) == 0 && before == after {
		return nil
	}
	return &UntidyError{module, diff}
}

func diffLines(before, after string) []string {
	old, new := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	var diff []string
	for _, line := range old {
		if !slices.Contains(new, line) {
			diff = append(diff, "-"+strings.TrimSuffix(line, "\n"))
		}
	}
	for _, line := range new {
		if !slices.Contains(old, line) {
			diff = append(diff, "+"+strings.TrimSuffix(line, "\n"))
		}
	}
	return diff
}

// Tidy runs `go mod tidy` on every module of the checkout, each for itself,
// as [Run] sees it: with the siblings published from the working tree. It
// reports the modules that it changed.
func Tidy(ctx context.Context, c Config) (err error) {
	c.Revision = ""
	r, err := prepare(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.remove()) }()
	for _, m := range r.tree.Modules {
		if r.wanted(m.Name) {
			r.step(m.Name, func() (string, error) { return r.tidyCheckout(ctx, m) })
		}
	}
	if r.red {
		return ErrRed
	}
	return nil
}

func (r *rehearsal) tidyCheckout(ctx context.Context, m workspace.Module) (string, error) {
	before, after, err := r.tidy(ctx, m)
	if err != nil {
		return "", err
	}
	after = after.published(r.tree)
	if before == after {
		return "was tidy", nil
	}
	return "tidied", after.write(filepath.Join(r.Root, filepath.FromSlash(m.Name)))
}
