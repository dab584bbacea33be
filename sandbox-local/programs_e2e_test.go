//go:build linux

package sandboxlocal

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

// programCase is a command line that must go through under a mode.
type programCase struct {
	name   string
	needs  []string // programs
	script string
}

func TestE2EProgramsUnderReadOnly(t *testing.T) {
	cases := []programCase{
		{"bash", nil, `set -e; x=$(echo a | tr a b); [ $x = b ]; read y <<<"$x"; [ $y = b ]; trap : EXIT; (exit 0); test -t 0 || true`},
		{"git", []string{"git"}, `set -e; git status --short; git log --oneline -1; git diff; git blame f; git grep hello`},
		{"python3", []string{"python3"}, `python3 -c 'import json, subprocess; print(json.dumps(subprocess.run(["echo", "x"], capture_output=True).returncode))'`},
		{"go", []string{"go"}, `go version && go env GOROOT && gofmt -l .`},
		{"node", []string{"node"}, `node -e 'console.log(require("fs").readFileSync("f").length)'`},
		{"make", []string{"make"}, `make -n`},
	}
	runPrograms(t, sandbox.ReadOnly, cases)
}

func TestE2EProgramsUnderWorkspaceWrite(t *testing.T) {
	cases := []programCase{
		{"cp", nil, `cp -p f g && touch -d 2001-01-01 g && chmod 600 g`},
		{"tar", []string{"tar"}, `tar cf a.tar f && mkdir x && tar xf a.tar -C x`},
		{"install", []string{"install"}, `install -m 700 f bin`},
		{"git", []string{"git"}, `set -e; git clone -q . clone; cd clone; echo x >n; git add n; git -c user.name=a -c user.email=a@b commit -qm x`},
		{"npm", []string{"node", "npm"}, `mkdir -p dep && echo '{"name":"dep","version":"1.0.0"}' >dep/package.json && ` +
			`npm_config_cache=$PWD/.npm npm install --offline --no-audit --no-fund --silent ./dep && [ -e node_modules/dep ]`},
		// A package that imports nothing, so that the runtime is not compiled
		// into a cold cache each time.
		{"go", []string{"go"}, `mkdir m && cd m && echo 'package m' >m.go && ` +
			`GOFLAGS= GO111MODULE=off GOCACHE=$PWD/.cache go build -o ./out.a . && [ -s out.a ]`},
	}
	runPrograms(t, sandbox.WorkspaceWrite, cases)
}

// runPrograms leaves out the launcher, which confines as the thread does.
func runPrograms(t *testing.T, mode sandbox.Mode, cases []programCase) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts toolchains, which take their time")
	}
	t.Parallel()
	for _, name := range []string{Bwrap, Landlock} {
		t.Run(name, func(t *testing.T) {
			b := need(t, name)
			for _, tt := range cases {
				t.Run(tt.name, func(t *testing.T) { b.runProgram(t, mode, tt) })
			}
		})
	}
}

func (b backend) runProgram(t *testing.T, mode sandbox.Mode, tt programCase) {
	t.Helper()
	needPrograms(t, tt.needs)
	p := newPlaces(t)
	project(t, p.workspace)
	if got, _ := b.run(t, mode, p.workspace, tt.script); got.code != 0 {
		t.Errorf("%+v", got)
	}
}

// needPrograms skips a test for which a program is missing, or one that does
// not run as this user: it may be a link into somebody else's home.
func needPrograms(t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		arg := "--version"
		if name == "go" {
			arg = "version"
		}
		if err := exec.CommandContext(t.Context(), name, arg).Run(); err != nil {
			t.Skipf("%s does not run here: %v", name, err)
		}
	}
}

// project makes a small repository with a makefile.
func project(t *testing.T, dir string) {
	t.Helper()
	write(t, filepath.Join(dir, "f"), "hello\n")
	write(t, filepath.Join(dir, "Makefile"), "all:\n\techo made\n")
	if _, err := exec.LookPath("git"); err != nil {
		return
	}
	for _, args := range []string{"init -q", "add f", "-c user.name=a -c user.email=a@b commit -qm x"} {
		cmd := exec.CommandContext(t.Context(), "git", strings.Fields(args)...)
		cmd.Dir = dir
		cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "GIT_") })
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
}
