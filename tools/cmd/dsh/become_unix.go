//go:build unix

package main

import (
	"os"
	"syscall"
)

// become makes this process the program at path. It returns only if it cannot.
func become(path string, argv []string) error { return syscall.Exec(path, argv, os.Environ()) }
