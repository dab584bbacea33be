package compose

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/dsh-go/dsh/sandbox"
)

// remedyNone ends an error about the user's own file.
const remedyNone = "; --no-config reads no file"

// UserFile returns the path of the user's own file, which need not exist, or ""
// if the user has no directory for such files.
func UserFile() (string, error) {
	dir, err := os.UserConfigDir()
	switch {
	case err != nil && os.Getenv("XDG_CONFIG_HOME") == "":
		return "", nil
	case err != nil:
		return "", fmt.Errorf("the configuration directory: %w%s", err, remedyNone)
	case !filepath.IsAbs(dir):
		// It would lie in the working directory, which has no say in this.
		return "", fmt.Errorf("the configuration directory %q is not absolute; set HOME or XDG_CONFIG_HOME%s", dir, remedyNone)
	}
	return filepath.Join(dir, "dsh", "dsh.yaml"), nil
}

// LoadUser reads the user's own file. One that does not exist is the default
// composition.
func LoadUser(file string) (Composition, error) {
	c, err := Load(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	if _, linkErr := os.Lstat(file); linkErr == nil {
		return c, fmt.Errorf("%s is a link to nothing%s", file, remedyNone)
	}
	return Composition{}, nil
}

// Load reads a file that must exist, and that nobody but the user and root may
// change. Errors are *[Error] or *[fs.PathError].
func Load(file string) (Composition, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return Composition{}, err
	case !info.Mode().IsRegular():
		return Composition{}, &Error{File: file, Err: errors.New("is not a regular file")}
	}
	if err := onlyOwnersChange(file); err != nil {
		return Composition{}, &Error{File: file, Err: err}
	}
	data, err := read(file)
	if err != nil {
		return Composition{}, err
	}
	return Parse(file, data)
}

// read returns no more than is needed to see that there is too much.
func read(file string) ([]byte, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return io.ReadAll(io.LimitReader(opened, maxSize+1))
}

// onlyOwnersChange returns an error if somebody else than the user and root may
// change what file says: in place, or by putting another file, directory or link
// on the way there. Who owns the directories above is not asked: in a user
// namespace the system's own belong to nobody.
func onlyOwnersChange(file string) error {
	target, err := sandbox.Canonical(file)
	if err != nil {
		return err
	}
	places, err := trail(file)
	if err != nil {
		return err
	}
	// The last place is the file or a link to it.
	for _, path := range []string{target, filepath.Dir(target), filepath.Dir(places[len(places)-1])} {
		if err := checkOwner(path); err != nil {
			return err
		}
	}
	for _, place := range places {
		if err := checkPlace(place); err != nil {
			return err
		}
	}
	return nil
}

// ExposedError is a file that commands under a policy may write, or make if it
// does not exist, although it says how the next ones are confined, or confines
// them itself.
type ExposedError struct {
	File string
	// Program says that the file is a program that the composition names.
	Program bool
	Root    string // beneath which the policy lets commands write
	Link    string // the link there that leads to the file; empty if the file itself lies there
}

// Error names the file, the link, the root and the remedies.
func (e *ExposedError) Error() string {
	lies := "lies"
	if e.Link != "" {
		lies = "is reached through the link " + e.Link
	}
	role := "where dsh is told how to confine commands"
	if e.Program {
		role = "with which dsh is to confine commands"
	}
	return fmt.Sprintf("%s, %s, %s beneath %s, where workspace-write lets them write; "+
		"choose another --workspace, keep the file elsewhere, or pass --no-config", e.File, role, lies, e.Root)
}

// Programs are the programs that the composition names by their paths, and that
// confine commands.
func (c Composition) Programs() []string {
	named := slices.Concat(c.Sandbox.Runners, []string{c.Sandbox.LandlockLauncher})
	if len(c.Sandbox.RunnerCommand) > 0 {
		named = append(named, c.Sandbox.RunnerCommand[0])
	}
	return slices.DeleteFunc(named, func(name string) bool { return !filepath.IsAbs(name) })
}

// CheckProgram does for a program what [CheckExposed] does for a file.
func CheckProgram(program string, policy sandbox.Policy) error {
	err := CheckExposed(program, policy)
	var exposed *ExposedError
	if errors.As(err, &exposed) {
		exposed.Program = true
	}
	return err
}

// CheckExposed returns an *[ExposedError] if commands under policy may write
// file, put one there, or turn a link on the way to it. An empty file is no
// file.
func CheckExposed(file string, policy sandbox.Policy) error {
	if file == "" || policy.Mode != sandbox.WorkspaceWrite {
		return nil
	}
	roots, err := sandbox.WritableRoots(policy)
	if err != nil {
		return err
	}
	places, err := trail(file)
	if err != nil {
		return err
	}
	for _, place := range slices.Backward(places) {
		for _, root := range roots {
			if sandbox.Within(place, []string{root}) {
				return &ExposedError{File: file, Root: root, Link: linkOnly(place)}
			}
		}
	}
	return nil
}

// linkOnly returns path if it is a link.
func linkOnly(path string) string {
	if isLink(path) {
		return path
	}
	return ""
}
