// Package rules holds the rules of the checkout that no compiler checks: which
// module may import which, what a go.mod may say, what lies where.
package rules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/deps"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// Violation is one broken rule.
type Violation struct {
	// Where is the module, package or file, relative to the checkout.
	Where string
	// Broken says what is wrong and what the rule is.
	Broken string
}

// String is one line for a person.
func (v Violation) String() string { return v.Where + ": " + v.Broken }

// Error returns violations as one error, a line each; nil when there are none.
func Error(violations []Violation) error {
	var lines []string
	for _, v := range violations {
		lines = append(lines, v.String())
	}
	if len(lines) == 0 {
		return nil
	}
	return errors.New(strings.Join(lines, "\n"))
}

func violation(where, format string, args ...any) Violation {
	return Violation{where, fmt.Sprintf(format, args...)}
}

// Check returns everything in the checkout that breaks a rule, given the
// dependencies that are allowed. The error says that it could not look.
func Check(ctx context.Context, tree *workspace.Workspace, allowed deps.List) ([]Violation, error) {
	all := slices.Concat(modules(tree), workFile(tree), cycles(tree), dependencies(tree, allowed), npmPackages(tree), includes(tree))
	for _, check := range []func(context.Context, *workspace.Workspace) ([]Violation, error){
		unnamedModules, imports, folders, formatting,
	} {
		found, err := check(ctx, tree)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// The places in the house. Every other module is an implementation.
const (
	sandboxSeam = "sandbox"
	bashSeam    = "bash"
	programs    = "tools"
)

func isSeam(module string) bool { return module == sandboxSeam || module == bashSeam }
