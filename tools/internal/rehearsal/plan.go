package rehearsal

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/workspace"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// firstVersion is the version of a module that nobody requires yet.
const firstVersion = "v0.1.0"

// release is a version of a module that only the rehearsal knows.
type release struct {
	module.Version
	folder string
}

// tag is the name by which the go command finds the version in a repository.
func (r release) tag() string { return r.folder + "/" + r.Version.Version }

// plan says which versions are published, and under which one each module is
// consumed.
type plan struct {
	releases []release
	consumed map[string]module.Version // by directory
}

var (
	errTwoVersions = errors.New("is required by its siblings at two versions")
	errNoModule    = errors.New("no module of the checkout")
)

// newPlan publishes each module at the version that its siblings require, or,
// once that one has been released (go.work no longer replaces it), at the
// version after it. A version that was asked for comes on top.
func newPlan(tree *workspace.Workspace, asked map[string]string) (plan, error) {
	p := plan{consumed: map[string]module.Version{}}
	for _, m := range tree.Modules {
		version, err := nextVersion(tree, m.Path())
		if err != nil {
			return plan{}, err
		}
		p.add(m, version)
		if other, ok := asked[m.Name]; ok && other != version {
			p.add(m, other)
		}
	}
	for name := range asked {
		if _, ok := p.consumed[name]; !ok {
			return plan{}, fmt.Errorf("%s: %w", name, errNoModule)
		}
	}
	return p, nil
}

func (p *plan) add(m workspace.Module, version string) {
	v := module.Version{Path: m.Path(), Version: version}
	p.releases = append(p.releases, release{v, m.Name})
	p.consumed[m.Name] = v
}

func nextVersion(tree *workspace.Workspace, path string) (string, error) {
	var versions []string
	for _, m := range tree.Modules {
		if v, ok := m.Siblings()[path]; ok && !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
	}
	switch {
	case len(versions) == 0:
		return firstVersion, nil
	case len(versions) > 1:
		return "", fmt.Errorf("%s %w: %v", path, errTwoVersions, versions)
	case tree.Unreleased(path, versions[0]):
		return versions[0], nil
	}
	return patchAfter(versions[0]), nil
}

// patchAfter returns the next patch release.
func patchAfter(version string) string {
	prefix := semver.MajorMinor(version)
	rest := strings.TrimPrefix(semver.Canonical(version)[len(prefix):], ".")
	digits, _, _ := strings.Cut(rest, "-")
	patch, _ := strconv.Atoi(digits) // a canonical version has one
	return fmt.Sprintf("%s.%d", prefix, patch+1)
}

// wanted reports whether the module is to be consumed.
func (r *rehearsal) wanted(name string) bool {
	return r.Only == nil || slices.Contains(r.Only, name)
}
