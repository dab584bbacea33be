package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dsh-go/dsh/tools/internal/cli"
)

const mcpProgram = "dsh-mcp"

func newMCP() *cobra.Command {
	return cli.NewMCP(func(cmd *cobra.Command, _ cli.Confinement) error {
		path, err := beside(mcpProgram)
		if err != nil {
			return err
		}
		return become(path, append([]string{mcpProgram}, given(cmd)...))
	})
}

// notInstalledError is a program that has to lie beside this one.
type notInstalledError struct {
	program, dir string
	err          error
}

func (e *notInstalledError) Error() string {
	return fmt.Sprintf("the program %s is not installed beside dsh in %s (%v); install it with: "+
		"go install github.com/dsh-go/dsh/tools/cmd/%s@latest", e.program, e.dir, e.err, e.program)
}

func (e *notInstalledError) Unwrap() error { return e.err }

// beside returns the path of a program that was installed together with this
// one. PATH has no say in it: what is found there could be another version,
// or anybody's.
func beside(program string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if resolved, err := filepath.EvalSymlinks(self); err == nil {
		self = resolved
	}
	dir := filepath.Dir(self)
	path := filepath.Join(dir, program+filepath.Ext(self))
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", &notInstalledError{program, dir, err}
	case !info.Mode().IsRegular():
		return "", &notInstalledError{program, dir, fs.ErrInvalid}
	}
	return path, nil
}

// given returns the flags of cmd that were given.
func given(cmd *cobra.Command) []string {
	var args []string
	cmd.Flags().Visit(func(f *pflag.Flag) { args = append(args, "--"+f.Name+"="+f.Value.String()) })
	return args
}
