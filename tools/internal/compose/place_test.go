package compose

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/treetest"
)

func TestUserFile(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	t.Setenv("XDG_CONFIG_HOME", "")
	dir, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := UserFile(); err != nil || got != filepath.Join(dir, "dsh", "dsh.yaml") {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("HOME", "")
	if got, err := UserFile(); err != nil || got != "" {
		t.Errorf("nobody's: %q, %v", got, err)
	}
}

// A path that is not absolute would lead into the working directory.
func TestUserFileIsNeverInTheWorkingDirectory(t *testing.T) {
	for _, variable := range []string{"HOME", "XDG_CONFIG_HOME"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv("XDG_CONFIG_HOME", "")
			t.Setenv(variable, ".")
			got, err := UserFile()
			if variable == "XDG_CONFIG_HOME" && err == nil && filepath.IsAbs(got) {
				t.Skip("this system does not look at XDG_CONFIG_HOME")
			}
			if err == nil || !strings.Contains(err.Error(), "--no-config") {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	dir := treetest.OutsideTemp(t)
	file := write(t, filepath.Join(dir, "dsh.yaml"), config("policy", "sandbox-policy", "mode: workspace-write"))
	for _, load := range []func(string) (Composition, error){Load, LoadUser} {
		c, err := load(file)
		if err != nil || c.Mode() != sandbox.WorkspaceWrite || c.Where("policy", "mode") != file+":4" {
			t.Errorf("%+v, %v", c, err)
		}
	}
	missing := filepath.Join(dir, "missing")
	if _, err := Load(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was named and is missing: %v", err)
	}
	if c, err := LoadUser(missing); err != nil || c.File != "" {
		t.Errorf("the user's own, if there is none: %+v, %v", c, err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	long := write(t, filepath.Join(dir, "long"), strings.Repeat("#", maxSize+5))
	if _, err := Load(long); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a long file: %v", err)
	}
	bad := write(t, filepath.Join(dir, "bad"), "\nx: y")
	if _, err := LoadUser(bad); err == nil || !strings.HasPrefix(err.Error(), bad+":2: ") {
		t.Errorf("a bad file: %v", err)
	}
}

func TestALinkToNothingIsNotTakenForNoFile(t *testing.T) {
	link := filepath.Join(treetest.OutsideTemp(t), "dsh.yaml")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadUser(link); err == nil || !strings.Contains(err.Error(), "link to nothing") {
		t.Errorf("%v", err)
	}
}

// TestExposed asks of files and roots of a workspace, with dir/link leading to
// dir/workspace.
func TestExposed(t *testing.T) {
	dir := treetest.OutsideTemp(t)
	workspace := filepath.Join(dir, "workspace")
	for _, name := range []string{workspace, filepath.Join(workspace, "sub"), filepath.Join(dir, "beside")} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	inside := write(t, filepath.Join(workspace, "in.yaml"), "")
	for from, to := range map[string]string{"link": workspace, "beside/out.yaml": inside, "workspace/to.yaml": "../beside/there.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "beside/there.yaml"), "")
	for file, want := range map[string]bool{
		"workspace/in.yaml":          true,
		"workspace/missing.yaml":     true, // a command could make it
		"workspace/a/b/missing.yaml": true,
		"link/in.yaml":               true,
		"link/missing.yaml":          true,
		"beside/out.yaml":            true, // what it leads to
		"workspace/to.yaml":          true, // the link itself
		"workspace/sub/../in.yaml":   true,
		"beside/there.yaml":          false,
		"beside/missing.yaml":        false,
		"workspace.yaml":             false,
	} {
		for mode, want := range map[sandbox.Mode]bool{sandbox.WorkspaceWrite: want, sandbox.ReadOnly: false, sandbox.DangerFullAccess: false} {
			err := CheckExposed(filepath.Join(dir, file), sandbox.Policy{Mode: mode, WorkspaceRoot: workspace})
			var exposed *ExposedError
			if errors.As(err, &exposed) != want || (err != nil) != want {
				t.Errorf("%s under %s: %v", file, mode, err)
			}
			if want && (exposed.Root != workspace || !strings.Contains(err.Error(), "--no-config")) {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if err := CheckExposed("/tmp/dsh.yaml", sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: workspace}); err == nil {
		t.Error("the temporary area is writable, too")
	}
	if err := CheckExposed("", sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: workspace}); err != nil {
		t.Errorf("no file: %v", err)
	}
}

// What matters is each name that is looked up, and not only the first and the
// last one.
func TestExposedOnTheWay(t *testing.T) {
	dir := treetest.OutsideTemp(t)
	workspace := filepath.Join(dir, "workspace")
	for _, name := range []string{"workspace/sub", "config", "store"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "store/dsh.yaml"), "")
	write(t, filepath.Join(workspace, "dsh.yaml"), "")
	for from, to := range map[string]string{
		"workspace/turned.yaml": "../store/dsh.yaml", "config/two.yaml": filepath.Join(workspace, "turned.yaml"),
		"workspace/turned": filepath.Join(dir, "store"), "config/through": "../workspace/turned",
		"config/unmade": filepath.Join(workspace, "unmade"), "config/sub": filepath.Join(workspace, "sub"),
		"config/outside": filepath.Join(dir, "store"),
	} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for file, link := range map[string]string{
		"config/two.yaml":            "workspace/turned.yaml",
		"config/through/dsh.yaml":    "workspace/turned",
		"config/unmade/dsh.yaml":     "", // a command could make the directory
		"config/sub/../dsh.yaml":     "", // not config/dsh.yaml
		"workspace/sub/../../x.yaml": "", // a command could make sub a link
	} {
		for _, name := range []string{file, dir + "/" + file} {
			var exposed *ExposedError
			err := CheckExposed(name, sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: workspace})
			if !errors.As(err, &exposed) || exposed.Root != workspace {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if link != "" {
				link := filepath.Join(dir, link)
				if exposed.Link != link || !strings.Contains(err.Error(), "through the link "+link) {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	outside := filepath.Join(dir, "config/outside/dsh.yaml")
	if err := CheckExposed(outside, sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: workspace}); err != nil {
		t.Errorf("%s: %v", outside, err)
	}
}

func TestACircleOfLinksLeadsNowhere(t *testing.T) {
	dir := treetest.OutsideTemp(t)
	circle := filepath.Join(dir, "circle")
	if err := os.Symlink("circle", circle); err != nil {
		t.Fatal(err)
	}
	if err := CheckExposed(circle, sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: dir}); err == nil {
		t.Error("no error")
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
