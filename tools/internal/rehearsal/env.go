package rehearsal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/modproxy"
)

// environment is a stranger's: no workspace, no settings of the user's, and a
// module cache of its own, which is empty. Only the build cache is shared;
// -trimpath lets it recognise the same module in another directory.
//
// Modules from elsewhere are taken from the user's module cache, if they are
// there. They were verified on their way into it, and against each go.sum by
// the builds here; so the checksum database, which does not know the versions
// that are rehearsed, is not asked.
func environment(ctx context.Context, ours modproxy.Proxy, elsewhere, dir string) ([]string, error) {
	user, err := gotool.Env(ctx, "GOPROXY", "GOCACHE", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	if elsewhere == "" {
		elsewhere = modproxy.FileURL(filepath.Join(user["GOMODCACHE"], "cache", "download")) + "," + user["GOPROXY"]
	}
	return []string{
		"GOWORK=off", "GOFLAGS=-trimpath", "GOTOOLCHAIN=local", "GOENV=off",
		"GOPROXY=" + ours.URL() + "," + elsewhere,
		"GOPRIVATE=", "GONOPROXY=none", "GOSUMDB=off",
		"GOCACHE=" + user["GOCACHE"], "GOMODCACHE=" + filepath.Join(dir, "modcache"),
		"GOBIN=" + filepath.Join(dir, "bin"),
		"DSH_REQUIRE=",
	}, nil
}

// in runs the go command as the stranger, in a directory.
func (r *rehearsal) in(dir string, more ...string) gotool.Cmd {
	return gotool.Cmd{Dir: dir, Env: append(r.env[:len(r.env):len(r.env)], more...)}
}

// cached is where the stranger's module cache has a version.
func (r *rehearsal) cached(path, version string) string {
	return filepath.Join(r.dir, "modcache", filepath.FromSlash(path)+"@"+version)
}

// remove removes everything. The go command writes a module cache read-only.
func (r *rehearsal) remove() error {
	err := filepath.WalkDir(r.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
	return errors.Join(err, os.RemoveAll(r.dir))
}

// lines splits output into its lines that are not blank.
func lines(output string) []string {
	var all []string
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}
