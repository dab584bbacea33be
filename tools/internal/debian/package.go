package debian

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/gotool"
)

// File is one file of a package.
type File struct {
	// Name is relative to the root, without "." or a leading slash.
	Name string
	*tar.Header
	// Content can be read until the next file is visited.
	Content io.Reader
}

// Walk visits the files of a package's archive in their order.
func Walk(ctx context.Context, archive string, visit func(File) error) error {
	content, feed := io.Pipe()
	unpacked := make(chan error, 1)
	go func() {
		_, err := gotool.Cmd{Stdout: feed}.Run(ctx, "dpkg-deb", "--fsys-tarfile", archive)
		feed.CloseWithError(err)
		unpacked <- err
	}()
	err := walkTar(content, visit)
	if err == nil {
		_, err = io.Copy(io.Discard, content) // the padding
	}
	content.CloseWithError(err)
	if unpackErr := <-unpacked; err == nil {
		err = unpackErr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(archive), err)
	}
	return nil
}

func walkTar(content io.Reader, visit func(File) error) error {
	reader := tar.NewReader(content)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path.Clean("/"+header.Name), "/")
		if name == "" {
			continue
		}
		if err := visit(File{name, header, reader}); err != nil {
			return err
		}
	}
}

// Package is what the name of a package's file says.
type Package struct{ Name, Version, Arch string }

// ParseName reads the name of a file as apt writes it: NAME_VERSION_ARCH.deb
// with the colon of an epoch escaped.
func ParseName(file string) (Package, bool) {
	parts := strings.Split(strings.TrimSuffix(filepath.Base(file), ".deb"), "_")
	if len(parts) != 3 {
		return Package{}, false
	}
	return Package{parts[0], strings.ReplaceAll(parts[1], "%3a", ":"), parts[2]}, true
}
