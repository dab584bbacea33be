package rules

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// The packages from npm with which check's leg clients runs.
const (
	manifestName = "tools/clients/package.json"
	lockName     = "tools/clients/package-lock.json"
)

type manifest struct {
	Dependencies map[string]string
}

type lock struct {
	Packages map[string]struct{ Resolved, Integrity string }
}

// npmPackages checks that each package that is asked for is asked for at one
// version and explained in the documents, and that the lock says what every
// package is and not where somebody got it.
func npmPackages(tree *workspace.Workspace) []Violation {
	var asked manifest
	var locked lock
	for name, into := range map[string]any{manifestName: &asked, lockName: &locked} {
		text, err := os.ReadFile(filepath.Join(tree.Root, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a checkout without such clients
		}
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			return []Violation{violation(name, "%v", err)}
		}
	}
	return slices.Concat(asked.broken(tree.Root), locked.broken())
}

func (m manifest) broken(root string) []Violation {
	var all []Violation
	for name, version := range m.Dependencies {
		if v := "v" + version; semver.Canonical(v) != v {
			all = append(all, violation(manifestName, "asks for %s at %q: one version is asked for", name, version))
		}
		for _, d := range documents {
			page, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(d.name)))
			if err != nil || !strings.Contains(string(page), "\n- `"+name+"`") {
				all = append(all, violation(d.name, "lacks %s, which %s asks for", name, manifestName))
			}
		}
	}
	return all
}

func (l lock) broken() []Violation {
	var all []Violation
	for path, p := range l.Packages {
		switch {
		case path == "": // the clients themselves
		case p.Resolved != "":
			all = append(all, violation(lockName, "says where somebody got %s; see the settings beside it", path))
		case p.Integrity == "":
			all = append(all, violation(lockName, "does not say what is in %s", path))
		}
	}
	return all
}
