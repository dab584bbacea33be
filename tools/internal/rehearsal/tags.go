package rehearsal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/modproxy"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// TagError is a tag from which the go command makes another module than the
// one that was rehearsed.
type TagError struct{ Tag, Sum, Rehearsed string }

// Error gives the tag and both sums.
func (e *TagError) Error() string {
	return fmt.Sprintf("from the tag %s comes %s, but %s was rehearsed", e.Tag, e.Sum, e.Rehearsed)
}

// tags has the go command find every version by its tag, as it would in the
// public repository, of which the snapshot takes the place.
func (r *rehearsal) tags(ctx context.Context) (string, error) {
	repository := "https://" + strings.TrimSuffix(workspace.Prefix, "/")
	cmd := r.in(r.dir,
		"GOPROXY=direct", "GOMODCACHE="+filepath.Join(r.dir, "modcache", "from-tags"),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+modproxy.FileURL(r.shot.Dir)+".insteadOf", "GIT_CONFIG_VALUE_0="+repository,
	)
	args := []string{"mod", "download", "-json"}
	for _, release := range r.plan.releases {
		args = append(args, release.Version.String())
	}
	out, err := cmd.Go(ctx, args...)
	if err != nil {
		return "", err
	}
	sums, err := downloadedSums(out)
	if err != nil {
		return "", err
	}
	var errs []error
	for _, release := range r.plan.releases {
		rehearsed, err := r.proxy.Sum(release.Version)
		if err == nil && sums[release.Version.String()] != rehearsed {
			err = &TagError{release.tag(), sums[release.Version.String()], rehearsed}
		}
		errs = append(errs, err)
	}
	return fmt.Sprintf("%d found", len(sums)), errors.Join(slices.Compact(errs)...)
}

// downloadedSums reads what `go mod download -json` prints, by path@version.
func downloadedSums(out string) (map[string]string, error) {
	sums := map[string]string{}
	decoder := json.NewDecoder(strings.NewReader(out))
	for {
		var d struct{ Path, Version, Sum string }
		if err := decoder.Decode(&d); errors.Is(err, io.EOF) {
			return sums, nil
		} else if err != nil {
			return nil, err
		}
		sums[d.Path+"@"+d.Version] = d.Sum
	}
}
