package rehearsal

import (
	"context"
	_ "embed" // for the consumer's program
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// program is a command that people install with `go install`.
type program struct {
	// name is that of the command, and of the last element of its package.
	name string
	// module and folder say where its package is.
	module, folder string
	// args are given to it; its output must contain says, or the version if
	// that is "". It may exit with any status.
	args []string
	says string
}

// programs are those that the tree has.
func (r *rehearsal) programs() []program {
	var all []program
	for _, p := range []program{
		{name: "landlock-run", module: "sandbox-local", folder: "cmd/landlock-run", args: []string{"--probe"}, says: "landlock"},
		{name: "dsh", module: "tools", folder: "cmd/dsh", args: []string{"version"}},
	} {
		if r.wanted(p.module) && r.hasPackage(p.module+"/"+p.folder) {
			all = append(all, p)
		}
	}
	return all
}

// hasPackage reports whether there are Go files in a folder of the tree.
func (r *rehearsal) hasPackage(folder string) bool {
	files, err := filepath.Glob(filepath.Join(r.shot.Dir, filepath.FromSlash(folder), "*.go"))
	return err == nil && len(files) > 0
}

// install installs the program and asks it something.
func (r *rehearsal) install(ctx context.Context, p program) (string, error) {
	version := r.plan.consumed[p.module].Version
	target := workspace.Prefix + p.module + "/" + p.folder + "@" + version
	if _, err := r.in(r.dir, "CGO_ENABLED=0").Go(ctx, "install", target); err != nil {
		return "", err
	}
	says := p.says
	if says == "" {
		says = version
	}
	out, err := gotool.Cmd{Dir: r.dir}.Run(ctx, append([]string{filepath.Join(r.dir, "bin", p.name)}, p.args...)...)
	var failed *gotool.Error
	if errors.As(err, &failed) {
		out = failed.Output
	}
	if !strings.Contains(out, says) {
		return "", fmt.Errorf("%s %s does not say %q: %q (%w)", p.name, strings.Join(p.args, " "), says, out, err)
	}
	return "installed; says " + strings.TrimSpace(out), nil
}

//go:embed confine.go.txt
var confineProgram []byte

// confining are the modules that the consumer's program is made of.
var confining = []string{"bash", "bash-sandbox", "sandbox", "sandbox-local", "sandbox-policy", "subprocess-local"}

// canConfine reports whether the tree has them all.
func (r *rehearsal) canConfine() bool {
	for _, name := range confining {
		if !r.hasPackage(name) {
			return false
		}
	}
	return true
}

// confine builds a program over the published modules that confines a real
// command, and runs it. The program itself checks what came of it.
func (r *rehearsal) confine(ctx context.Context) (string, error) {
	dir := filepath.Join(r.dir, "consumer", "confine")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), confineProgram, 0o644); err != nil {
		return "", err
	}
	get := []string{"get"}
	for _, name := range confining {
		get = append(get, r.plan.consumed[name].String())
	}
	for _, args := range [][]string{{"mod", "init", "example.com/confine"}, get, {"mod", "tidy"}, {"vet", "."}} {
		if _, err := r.in(dir).Go(ctx, args...); err != nil {
			return "", err
		}
	}
	out, err := r.in(dir).Go(ctx, "run", ".")
	return strings.TrimSpace(out), err
}
