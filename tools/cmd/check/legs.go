package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/dsh-go/dsh/tools/internal/deps"
	"github.com/dsh-go/dsh/tools/internal/docpair"
	"github.com/dsh-go/dsh/tools/internal/rehearsal"
	"github.com/dsh-go/dsh/tools/internal/rules"
)

// quickLegs are what a developer wants after every edit.
var quickLegs = []string{"vet", "unit"}

// allLegs returns the legs in the order in which they run: what fails fast
// comes first.
func allLegs() []leg {
	return []leg{
		{
			name: "rules", about: "what no compiler checks: import rules, go.mod lines, dependencies, layout, gofmt", run: repoRules,
			needs: []need{git},
		},
		{name: "docs", about: "every document says the same in both languages, as far as a program can tell", run: docs},
		{name: "workflows", about: "the workflows of GitHub's CI are well-formed", run: workflows},
		{name: "vet", about: "go vet of every module, for this platform", run: vet},
		{name: "build", about: "every module builds and vets for every platform", run: crossBuild},
		{name: "unit", about: "the tests of every module, as the current user", run: unit},
		{
			name: "race", about: "the same tests, in their short form, under the race detector", run: race,
			needs: []need{cCompiler},
		},
		{
			name: "bwrap", about: "the tests over bwrap ran, also as an ordinary user", run: backendLeg("bwrap"),
			needs: []need{bwrap},
		},
		{
			name: "landlock", about: "the tests over Landlock ran, also as an ordinary user", run: backendLeg("landlock"),
			needs: []need{landlock},
		},
		{
			name: "seatbelt", about: "the tests over Seatbelt ran", run: backendLeg("seatbelt"),
			needs: []need{seatbelt},
		},
		{
			name: "clients", about: "clients from npm, which others wrote, drive dsh mcp and dsh acp", run: driveClients,
			needs: []need{node, npm},
		},
		{
			name: "kernels", about: "other kernels, emulated: every effect once per runner and mode", run: otherKernels,
			needs: []need{emulators},
		},
		{name: "fuzz", about: "every fuzz target, for a few seconds", run: fuzz},
		{
			name: "rehearse", about: "every module is released to nobody and consumed alone", run: rehearse,
			needs: []need{git},
		},
	}
}

func repoRules(ctx context.Context, s *session) (string, error) {
	allowed, err := deps.Allowed()
	if err != nil {
		return "", err
	}
	broken, err := rules.Check(ctx, s.tree, allowed)
	return "", errors.Join(err, rules.Error(broken))
}

func docs(_ context.Context, s *session) (string, error) {
	tree, err := docpair.Open(s.tree.Root)
	if err != nil {
		return "", err
	}
	pairs, problems, err := tree.Check()
	errs := []error{err}
	for _, p := range problems {
		errs = append(errs, errors.New(p.String()))
	}
	return fmt.Sprintf("%d documents", len(pairs)), errors.Join(errs...)
}

// actionlint is run at a fixed version, so that what it finds changes with the
// checkout alone.
const actionlint = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"

func workflows(ctx context.Context, s *session) (string, error) {
	_, err := s.here("GOWORK=off", "GOFLAGS=").Go(ctx, "run", actionlint)
	return "", err
}

func vet(ctx context.Context, s *session) (string, error) {
	_, err := s.here().Go(ctx, "vet", "work")
	return "", err
}

// platforms are those that every module must build and vet for.
var platforms = [][2]string{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

func crossBuild(ctx context.Context, s *session) (string, error) {
	for _, p := range platforms {
		cmd := s.here("GOOS="+p[0], "GOARCH="+p[1], "CGO_ENABLED=0")
		for _, args := range [][]string{{"build", "-buildvcs=false", "work"}, {"vet", "work"}} {
			if _, err := cmd.Go(ctx, args...); err != nil {
				return p[0] + "/" + p[1], err
			}
		}
	}
	return fmt.Sprintf("%d platforms", len(platforms)), nil
}

func rehearse(ctx context.Context, s *session) (string, error) {
	allowed, err := deps.Allowed()
	if err != nil {
		return "", err
	}
	var steps, red int
	var errs []error
	err = rehearsal.Run(ctx, rehearsal.Config{Root: s.tree.Root, Allowed: allowed, Report: func(step rehearsal.Step) {
		steps++
		if step.Err != nil {
			red++
			errs = append(errs, fmt.Errorf("%s: %w", step.Name, step.Err))
		}
	}})
	return fmt.Sprintf("%d steps, %d red", steps, red), errors.Join(append(errs, err)...)
}
