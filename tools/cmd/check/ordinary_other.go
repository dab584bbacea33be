//go:build !linux

package main

import "os/exec"

// canBecomeOrdinary: elsewhere than on Linux nobody is expected to run check
// as root.
func canBecomeOrdinary() bool { return false }

func becomeOrdinary(*exec.Cmd) {}
