package debian

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/gotool"
)

// ErrNoMirror means that the machine's apt knows no mirror of Debian.
var ErrNoMirror = errors.New("the machine's apt is not set up for Debian")

// Mirror returns the address from which this machine gets Debian packages.
func Mirror(ctx context.Context) (string, error) {
	out, err := gotool.Cmd{}.Run(ctx, "apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages")
	if err != nil {
		return "", err
	}
	return parseMirror(out)
}

// suites by which a mirror of Debian is known, among the other sources that a
// machine may have.
var suites = []string{"oldoldstable", "oldstable", "stable", "testing", "unstable", "bullseye", "bookworm", "trixie", "forky", "sid"}

func parseMirror(targets string) (string, error) {
	for line := range strings.Lines(targets) {
		address, release, _ := strings.Cut(strings.TrimSpace(line), " ")
		if slices.Contains(suites, release) {
			return address, nil
		}
	}
	return "", ErrNoMirror
}
