//go:build !unix

package main

import (
	"errors"
	"os"
	"os/exec"

	"github.com/dsh-go/dsh/tools/internal/cli"
)

// become runs the program at path in this one's place and ends as it does.
func become(path string, argv []string) error {
	program := exec.Command(path, argv[1:]...)
	program.Stdin, program.Stdout, program.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := program.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &cli.ExitError{Status: exit.ExitCode()}
	}
	return err
}
