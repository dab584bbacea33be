// Package rehearsal releases every module of a checkout to nobody, and
// consumes each one alone, as a stranger would with `go get`. What works only
// inside the workspace is red here: a requirement that is missing, a test that
// reads a neighbour's file, a go.mod that is not tidy.
package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dsh-go/dsh/tools/internal/deps"
	"github.com/dsh-go/dsh/tools/internal/modproxy"
	"github.com/dsh-go/dsh/tools/internal/rules"
	"github.com/dsh-go/dsh/tools/internal/sidebyside"
	"github.com/dsh-go/dsh/tools/internal/snapshot"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// Config is what to rehearse.
type Config struct {
	// Root is the checkout.
	Root string
	// Revision is the commit to release; "" is the working tree as it is.
	Revision string
	// Versions gives modules, by directory, another version than the one that
	// their siblings require.
	Versions map[string]string
	// Only names the modules (directories) to consume; nil is all of them.
	Only []string
	// Allowed are the dependencies for which there is a reason.
	Allowed deps.List
	// Proxy is where modules from elsewhere come from; "" is where the go
	// command has them from.
	Proxy string
	// Report, if not nil, is told of each step as it ends, by one goroutine
	// at a time.
	Report func(Step)
}

// Step is one part of a rehearsal.
type Step struct {
	// Name is a module's directory, or what else was tried.
	Name string
	// Fact says in a few words what was seen.
	Fact string
	Err  error
	Took time.Duration
}

// ErrRed is returned when a step failed.
var ErrRed = errors.New("the rehearsal failed")

// rehearsal is one rehearsal under way, in a throwaway directory.
type rehearsal struct {
	Config
	dir   string
	shot  *snapshot.Snapshot
	tree  *workspace.Workspace
	proxy modproxy.Proxy
	env   []string
	plan  plan

	mu  sync.Mutex
	red bool
}

// Run rehearses a release. Its error is [ErrRed] when a step failed, and
// otherwise says why there was no rehearsal.
func Run(ctx context.Context, c Config) (err error) {
	r, err := prepare(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.remove()) }()
	r.step("rules", func() (string, error) { return r.rules(ctx) })
	r.step("tags", func() (string, error) { return r.tags(ctx) })
	r.consumeAll(ctx)
	for _, p := range r.programs() {
		r.step(p.name, func() (string, error) { return r.install(ctx, p) })
	}
	if r.canConfine() {
		r.step("confine", func() (string, error) { return r.confine(ctx) })
	}
	if r.red {
		return ErrRed
	}
	return nil
}

// prepare takes the snapshot and publishes every module from it.
func prepare(ctx context.Context, c Config) (*rehearsal, error) {
	dir, err := os.MkdirTemp("", "dsh-rehearse-")
	if err != nil {
		return nil, err
	}
	r := &rehearsal{Config: c, dir: dir, proxy: modproxy.Proxy{Dir: filepath.Join(dir, "proxy")}}
	if err := r.publish(ctx); err != nil {
		return nil, errors.Join(err, r.remove())
	}
	return r, nil
}

func (r *rehearsal) publish(ctx context.Context) (err error) {
	if r.shot, err = snapshot.Take(ctx, r.Root, r.Revision, filepath.Join(r.dir, "snapshot")); err != nil {
		return err
	}
	r.step("snapshot", func() (string, error) { return r.shot.Of, nil })
	if r.tree, err = workspace.Open(r.shot.Dir); err != nil {
		return err
	}
	if r.plan, err = newPlan(r.tree, r.Versions); err != nil {
		return err
	}
	if r.env, err = environment(ctx, r.proxy, r.Proxy, r.dir); err != nil {
		return err
	}
	for _, release := range r.plan.releases {
		if err := r.shot.Tag(ctx, release.tag()); err != nil {
			return err
		}
		if err := r.proxy.Publish(r.shot.Dir, release.tag(), release.folder, release.Version); err != nil {
			return err
		}
	}
	return nil
}

// step runs one part and reports it.
func (r *rehearsal) step(name string, run func() (string, error)) {
	start := time.Now()
	fact, err := run()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.red = r.red || err != nil
	if r.Report != nil {
		r.Report(Step{Name: name, Fact: fact, Err: err, Took: time.Since(start)})
	}
}

// consumeAll consumes the modules that are wanted, side by side.
func (r *rehearsal) consumeAll(ctx context.Context) {
	sidebyside.Do(r.tree.Modules, func(m workspace.Module) {
		if r.wanted(m.Name) {
			r.step(m.Name, func() (string, error) { return r.consume(ctx, m) })
		}
	})
}

func (r *rehearsal) rules(ctx context.Context) (string, error) {
	broken, err := rules.Check(ctx, r.tree, r.Allowed)
	return fmt.Sprintf("%d broken", len(broken)), errors.Join(err, rules.Error(broken))
}
