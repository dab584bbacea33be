// Package debian fetches packages of any Debian suite and architecture through
// apt, and reads what is in them. Nothing is installed, and the machine's own
// lists and package database are neither read nor changed: each archive keeps
// its state in a directory of its own.
package debian

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/gotool"
)

// Archive is one suite for one architecture.
type Archive struct {
	Mirror      string // the address, as in sources.list(5)
	Suite, Arch string
	// Dir keeps the lists and the packages. Only one process may use it.
	Dir string
}

// ErrNoKeyring means that the machine lacks the keys that sign Debian.
var ErrNoKeyring = errors.New("no keyring of Debian; apt-get install debian-archive-keyring")

// keyrings is where the package debian-archive-keyring puts them.
const keyrings = "/usr/share/keyrings/debian-archive-keyring.*"

// open writes the configuration.
func (a Archive) open() error {
	keys, err := filepath.Glob(keyrings)
	if err != nil || len(keys) == 0 {
		return errors.Join(err, ErrNoKeyring)
	}
	for _, dir := range []string{"lists/partial", "archives/partial"} {
		if err := os.MkdirAll(filepath.Join(a.Dir, dir), 0o755); err != nil {
			return err
		}
	}
	source := fmt.Sprintf("deb [arch=%s signed-by=%s] %s %s main\n", a.Arch, keys[0], a.Mirror, a.Suite)
	for name, text := range map[string]string{"sources.list": source, "status": "", "apt.conf": a.config()} {
		if err := os.WriteFile(filepath.Join(a.Dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// config comes after the machine's own configuration, from which a proxy and
// the like are wanted, but not what it does to its own packages and lists.
func (a Archive) config() string {
	return fmt.Sprintf(`#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
#clear Acquire::IndexTargets::deb::DEP-11;
#clear Acquire::IndexTargets::deb::DEP-11-icons;
#clear Acquire::IndexTargets::deb::DEP-11-icons-small;
#clear Acquire::IndexTargets::deb::DEP-11-icons-large;
#clear Acquire::IndexTargets::deb::Contents-deb;
#clear APT::Architectures;
APT::Architecture "%[1]s";
APT::Architectures { "%[1]s"; };
APT::Sandbox::User "root";
Dir::State "%[2]s";
Dir::State::lists "%[2]s/lists";
Dir::State::status "%[2]s/status";
Dir::Cache "%[2]s";
Dir::Cache::archives "%[2]s/archives";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
Dir::Etc::sourcelist "%[2]s/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
`, a.Arch, a.Dir)
}

// apt runs a program of apt on the archive.
func (a Archive) apt(ctx context.Context, program string, args ...string) (string, error) {
	cmd := gotool.Cmd{Dir: filepath.Join(a.Dir, "archives"), Env: []string{"LC_ALL=C", "DEBIAN_FRONTEND=noninteractive"}}
	return cmd.Run(ctx, slices.Concat([]string{program, "-c", filepath.Join(a.Dir, "apt.conf")}, args)...)
}

// Update fetches the lists.
func (a Archive) Update(ctx context.Context) error {
	if err := a.open(); err != nil {
		return err
	}
	_, err := a.apt(ctx, "apt-get", "-q", "update")
	return err
}

// Closure returns the name of a package and those of all that it depends on,
// directly or not. The lists must have been fetched.
func (a Archive) Closure(ctx context.Context, name string) ([]string, error) {
	out, err := a.apt(ctx, "apt-cache", "depends", "--recurse", "--no-recommends", "--no-suggests",
		"--no-conflicts", "--no-breaks", "--no-replaces", "--no-enhances", name)
	return parseDepends(out), err
}

// parseDepends returns the packages that apt-cache lists with dependencies of
// their own: those at the beginning of a line that really exist.
func parseDepends(out string) []string {
	var names []string
	for line := range strings.Lines(out) {
		name := strings.TrimSpace(line)
		if name != "" && name[0] != '<' && !strings.ContainsAny(line[:1], " |") {
			names = append(names, name)
		}
	}
	return names
}

// Download fetches exactly these packages.
func (a Archive) Download(ctx context.Context, names ...string) ([]string, error) {
	return a.fetch(func() error {
		_, err := a.apt(ctx, "apt-get", slices.Concat([]string{"-q", "download"}, names)...)
		return err
	})
}

// DownloadAll fetches these packages and all that they depend on.
func (a Archive) DownloadAll(ctx context.Context, names ...string) ([]string, error) {
	return a.fetch(func() error {
		install := []string{"-q", "install", "--yes", "--download-only", "--no-install-recommends"}
		_, err := a.apt(ctx, "apt-get", slices.Concat(install, names)...)
		return err
	})
}

// fetch runs download in an empty directory and returns the packages' files.
// apt keeps no more than one version of each there.
func (a Archive) fetch(download func() error) ([]string, error) {
	archives := filepath.Join(a.Dir, "archives")
	if err := os.RemoveAll(archives); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(archives, "partial"), 0o755); err != nil {
		return nil, err
	}
	if err := download(); err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(archives, "*.deb"))
}
