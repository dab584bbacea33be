// Package modproxy publishes modules of a repository in a directory that the
// go command can use as a GOPROXY.
package modproxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// Proxy is a directory that is laid out as `go help goproxy` describes.
type Proxy struct {
	Dir string
}

// URL is what GOPROXY names it by.
func (p Proxy) URL() string { return FileURL(p.Dir) }

// FileURL returns the file URL of an absolute path.
func FileURL(dir string) string {
	path := filepath.ToSlash(dir)
	if path[0] != '/' {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// Publish makes a version of the module that lies in a folder of a
// repository, from a revision of it. A version is published once.
func (p Proxy) Publish(repository, revision, folder string, version module.Version) error {
	dir, err := p.versionDir(version.Path)
	if err != nil {
		return err
	}
	if err := zipModule(filepath.Join(dir, version.Version+".zip"), repository, revision, folder, version); err != nil {
		return fmt.Errorf("zip %s: %w", version, err)
	}
	mod, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(folder), "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": version.Version, "Time": time.Now().UTC()})
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, version.Version+".mod"), mod, 0o644),
		os.WriteFile(filepath.Join(dir, version.Version+".info"), info, 0o644),
		appendLine(filepath.Join(dir, "list"), version.Version),
	)
}

func appendLine(name, line string) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(line + "\n")
	return errors.Join(err, file.Close())
}

// Sum returns the sum of a published version as a go.sum has it.
func (p Proxy) Sum(version module.Version) (string, error) {
	dir, err := p.versionDir(version.Path)
	if err != nil {
		return "", err
	}
	return dirhash.HashZip(filepath.Join(dir, version.Version+".zip"), dirhash.Hash1)
}

func (p Proxy) versionDir(path string) (string, error) {
	escaped, err := module.EscapePath(path)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(p.Dir, filepath.FromSlash(escaped), "@v")
	return dir, os.MkdirAll(dir, 0o755)
}

func zipModule(name, repository, revision, folder string, version module.Version) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(zip.CreateFromVCS(file, version, repository, revision, folder), file.Close())
}
