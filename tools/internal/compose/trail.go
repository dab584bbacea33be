package compose

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many symbolic links one path may lead through, as in
// path_resolution(7).
const maxLinks = 40

// trail returns every name that is looked up on the way to path, links among
// them, each beneath the canonical form of its directory: whoever can put
// something else in one of these places decides what path leads to. What does
// not exist is taken for a directory, for somebody could make it.
func trail(path string) ([]string, error) {
	start, err := absolute(path)
	if err != nil {
		return nil, err
	}
	root := filepath.VolumeName(start) + string(filepath.Separator)
	at, places, links := root, []string{root}, 0
	for pending := components(start[len(root)-1:]); len(pending) > 0; {
		part := pending[0]
		pending = pending[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		place := filepath.Join(at, part)
		places = append(places, place)
		if !isLink(place) {
			at = place
			continue
		}
		target, err := os.Readlink(place)
		if err != nil {
			return nil, err
		}
		if links++; links > maxLinks {
			return nil, fmt.Errorf("%s leads through more than %d links", path, maxLinks)
		}
		if filepath.IsAbs(target) {
			at = root
		}
		pending = append(components(target), pending...)
	}
	return places, nil
}

// absolute leaves each ".." where it is: behind a link it leads elsewhere than
// it seems.
func absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	wd, err := os.Getwd()
	return wd + string(filepath.Separator) + path, err
}

func components(path string) []string { return strings.Split(filepath.ToSlash(path), "/") }

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
