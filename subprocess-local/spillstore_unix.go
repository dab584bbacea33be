//go:build linux || darwin

package subprocesslocal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dsh-go/dsh/sandbox"
	"golang.org/x/sys/unix"
)

// spillDirPrefix begins the name of every directory that a service makes for
// its spill files.
const spillDirPrefix = "dsh-spill-"

// hiddenDirs are where a confined command may have a file system of its own
// instead of the one that this program sees.
var hiddenDirs = []string{"/tmp", "/private/tmp"}

var errNoSpillDir = errors.New("no directory for spill files is both usable and out of the command's reach")

// spillStore makes the spill files of one service, in directories of its own.
// It is safe for concurrent use.
type spillStore struct {
	mu    sync.Mutex
	dirs  map[string]string // by the directory in which they were made
	files map[*spillFile]struct{}
}

// create makes a new file that lies outside the canonical directories given.
func (s *spillStore) create(config Config, outside []string) (*spillFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, base := range spillBases(config) {
		file, err := s.createIn(base, outside, config.spillMaxAge())
		if err != nil {
			config.logger().Debug("no spill file here", "directory", base, "error", err)
			continue
		}
		if s.files == nil {
			s.files = map[*spillFile]struct{}{}
		}
		s.files[file] = struct{}{}
		return file, nil
	}
	return nil, errNoSpillDir
}

// spillBases are the directories to try, in order.
func spillBases(config Config) []string {
	if config.SpillDirs != nil {
		return config.SpillDirs
	}
	var bases []string
	if cache, err := os.UserCacheDir(); err == nil && filepath.IsAbs(cache) {
		bases = append(bases, cache)
	}
	bases = append(bases, "/var/tmp")
	if runtime := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(runtime) {
		bases = append(bases, runtime)
	}
	return bases
}

func (s *spillStore) createIn(base string, outside []string, maxAge time.Duration) (*spillFile, error) {
	base, err := usableBase(base, outside)
	if err != nil {
		return nil, err
	}
	dir, ok := s.dirs[base]
	if !ok || checkPrivate(dir) != nil { // somebody may have cleaned up
		if dir, err = makePrivateDir(base); err != nil {
			return nil, err
		}
		if s.dirs == nil {
			s.dirs = map[string]string{}
		}
		s.dirs[base] = dir
		sweepSpills(base, time.Now().Add(-maxAge))
	}
	path := filepath.Join(dir, newCookieID()+".out")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := file.Chmod(0o600); err != nil { // the mask may have taken our own rights
		file.Close()
		os.Remove(path)
		return nil, err
	}
	return &spillFile{File: file}, nil
}

// usableBase returns base canonical if a private directory is safe there: out
// of the command's reach, and nobody else can replace what we make in it.
func usableBase(base string, outside []string) (string, error) {
	unreachable := func(dir string) error {
		if sandbox.Within(dir, outside) || sandbox.Within(dir, hiddenDirs) {
			return &fs.PathError{Op: "spill", Path: dir, Err: errNoSpillDir}
		}
		return nil
	}
	if err := unreachable(filepath.Clean(base)); err != nil {
		return "", err
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", err
	}
	base, err := sandbox.Canonical(base)
	if err != nil {
		return "", err
	}
	if err := unreachable(base); err != nil {
		return "", err
	}
	return base, checkOwner(base)
}

// checkOwner refuses a directory in which somebody else may rename entries.
func checkOwner(dir string) error {
	var stat unix.Stat_t
	if err := unix.Lstat(dir, &stat); err != nil {
		return &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	trusted := stat.Uid == 0 || int(stat.Uid) == os.Geteuid()
	shared := stat.Mode&0o022 != 0 && stat.Mode&unix.S_ISVTX == 0
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR || !trusted || shared {
		return &fs.PathError{Op: "spill", Path: dir, Err: fs.ErrPermission}
	}
	return nil
}

// makePrivateDir makes a directory that did not exist before, whatever rights
// the file mode creation mask takes.
func makePrivateDir(base string) (string, error) {
	dir := filepath.Join(base, spillDirPrefix+newCookieID())
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return "", err
	}
	return dir, checkPrivate(dir)
}

// checkPrivate reports whether dir is a directory that only we can use.
func checkPrivate(dir string) error {
	var stat unix.Stat_t
	if err := unix.Lstat(dir, &stat); err != nil {
		return &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR || int(stat.Uid) != os.Geteuid() || stat.Mode&0o777 != 0o700 {
		return &fs.PathError{Op: "spill", Path: dir, Err: fs.ErrPermission}
	}
	return nil
}

// sweepSpills removes what services of this user left in base and nobody
// changed since. It looks only into directories that are private to us, so
// nobody can exchange an entry under it.
func sweepSpills(base string, since time.Time) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, entry := range entries {
		dir := filepath.Join(base, entry.Name())
		if strings.HasPrefix(entry.Name(), spillDirPrefix) && checkPrivate(dir) == nil {
			sweepDir(dir, since)
		}
	}
}

func sweepDir(dir string, since time.Time) {
	info, err := os.Lstat(dir)
	if err != nil || info.ModTime().After(since) {
		return
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, file := range files {
		info, err := file.Info()
		if err == nil && info.Mode().IsRegular() && info.ModTime().Before(since) {
			os.Remove(filepath.Join(dir, file.Name()))
		}
	}
	os.Remove(dir) // stays while anything is left in it
}

// close removes the files, unless they are to be kept, and empty directories.
func (s *spillStore) close(keep bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for file := range s.files {
		if keep || file.removed.Swap(true) {
			continue
		}
		if err := os.Remove(file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	for _, dir := range s.dirs {
		os.Remove(dir) // stays while anything is left in it
	}
	s.files, s.dirs = nil, nil
	return errors.Join(errs...)
}
