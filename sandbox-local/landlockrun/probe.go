package landlockrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Probe runs a launcher, an absolute path or [Self], with --probe and reports
// whether the kernel governs every file effect. An error says why the launcher
// cannot confine here; it wraps ctx's if ctx ended first.
func Probe(ctx context.Context, launcher string) (full bool, err error) {
	command := append(Command(launcher), "--probe")
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return false, errors.Join(ctx.Err(), fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String())))
	}
	switch answer := strings.TrimSuffix(stdout.String(), "\n"); answer {
	case FullyEnforced:
		return true, nil
	case PartiallyEnforced:
		return false, nil
	default:
		return false, fmt.Errorf("it answers %q", answer)
	}
}

// Command returns the beginning of an argv that starts the launcher.
func Command(launcher string) []string {
	if launcher == Self {
		return []string{Self, SelfArg}
	}
	return []string{launcher}
}
