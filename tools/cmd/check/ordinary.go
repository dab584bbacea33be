package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/sidebyside"
	"github.com/dsh-go/dsh/tools/internal/testrun"
)

// ordinaryID is the user and the group whom the kernel itself takes for
// nobody in particular.
const ordinaryID = 65534

// ordinary runs the tests of the product's packages as an ordinary user. That
// user may not be able to read the checkout or the caches, so the binaries
// are built here and run in a copy of the tree.
func (s *session) ordinary(ctx context.Context) testRun {
	return s.once("ordinary", func() (*testrun.Results, error) {
		results := &testrun.Results{}
		home, err := newOrdinaryHome(s.tree.Root)
		if err != nil {
			return results, err
		}
		err = s.testAllAsOrdinary(ctx, home, results)
		return results, results.Verdict(errors.Join(err, home.remove()))
	})
}

func (s *session) testAllAsOrdinary(ctx context.Context, home *ordinaryHome, into *testrun.Results) error {
	packages, err := s.testPackages(ctx)
	if err != nil {
		return err
	}
	packages = slices.DeleteFunc(packages, func(p testPackage) bool { return !p.ofProduct() })
	if len(packages) == 0 {
		return errNoTests
	}
	var mu sync.Mutex
	var errs []error
	sidebyside.Do(packages, func(p testPackage) {
		events, err := s.testAsOrdinary(ctx, home, p)
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, err, into.Read(strings.NewReader(events)))
	})
	return errors.Join(errs...)
}

var errNoTests = errors.New("no package has tests that can be run as an ordinary user")

// ofProduct reports whether the tests reach a module that is published for
// others to import. The programs that look after the checkout do not.
func (p testPackage) ofProduct() bool { return p.reaches("sandbox") }

// testAsOrdinary runs one package's tests and returns the events. A binary
// that ends without having said that it passed is a failed package among them.
func (s *session) testAsOrdinary(ctx context.Context, home *ordinaryHome, p testPackage) (events string, err error) {
	binary := filepath.Join(home.dir, strings.ReplaceAll(p.path, "/", "_")+".test")
	if _, err := s.here().Go(ctx, "test", "-c", "-o", binary, p.path); err != nil {
		return "", err
	}
	relative, err := filepath.Rel(s.tree.Root, p.dir)
	if err != nil {
		return "", err
	}
	cmd := gotool.Cmd{
		Dir: filepath.Join(home.tree(), relative), Env: append(home.env(), s.testEnv()...),
		Prepare: func(cmd *exec.Cmd) { becomeOrdinary(cmd); cmd.Stderr = cmd.Stdout },
	}
	output, err := cmd.Run(ctx, binary, "-test.v=test2json", "-test.paniconexit0", "-test.timeout=10m")
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", err
	}
	convert := s.here()
	convert.Prepare = func(cmd *exec.Cmd) { cmd.Stdin = strings.NewReader(output) }
	return convert.Go(ctx, "tool", "test2json", "-p", p.path)
}

// ordinaryHome is everything that the ordinary user owns while the tests run.
type ordinaryHome struct {
	// dir lies outside /tmp, which a sandbox may hide or may make writable.
	dir string
	// tmp is where the tests' temporary files go, as usual beneath /tmp.
	tmp string
}

func newOrdinaryHome(root string) (*ordinaryHome, error) {
	dir, err := os.MkdirTemp("/var/tmp", "dsh-check-")
	if err != nil {
		return nil, err
	}
	h := &ordinaryHome{dir: dir}
	if h.tmp, err = os.MkdirTemp("/tmp", "dsh-check-"); err == nil {
		err = h.fill(root)
	}
	if err != nil {
		return nil, errors.Join(err, h.remove())
	}
	return h, nil
}

func (h *ordinaryHome) tree() string { return filepath.Join(h.dir, "tree") }

func (h *ordinaryHome) env() []string {
	return []string{
		"HOME=" + h.dir, "USER=nobody", "LOGNAME=nobody", "TMPDIR=" + h.tmp,
		"XDG_CACHE_HOME=", "XDG_CONFIG_HOME=", "XDG_RUNTIME_DIR=",
		"GOCACHE=", "GOMODCACHE=", "GOENV=off", "GOPATH=",
	}
}

// fill copies the checkout without its history, and gives everything away.
func (h *ordinaryHome) fill(root string) error {
	if err := copyTree(h.tree(), root); err != nil {
		return err
	}
	for _, top := range []string{h.dir, h.tmp} {
		err := filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, ordinaryID, ordinaryID)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func copyTree(to, from string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	for _, e := range entries {
		source, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		switch {
		case e.Name() == ".git":
		case e.IsDir():
			err = os.CopyFS(target, os.DirFS(source))
		case e.Type().IsRegular():
			err = copyFile(target, source)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

var errLeftBehind = errors.New("the tests left temporary files behind")

// remove removes everything, and fails when the tests left temporary files.
func (h *ordinaryHome) remove() error {
	var left error
	if entries, err := os.ReadDir(h.tmp); err == nil && len(entries) > 0 {
		left = fmt.Errorf("%w: %s and %d more", errLeftBehind, entries[0].Name(), len(entries)-1)
	}
	return errors.Join(left, os.RemoveAll(h.dir), os.RemoveAll(h.tmp))
}
