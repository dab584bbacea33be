package main

import (
	"os/exec"
	"strings"
	"testing"
)

func TestACPAMessageThatIsTooLongIsAnError(t *testing.T) {
	cmd := exec.Command("dsh", "acp")
	cmd.Stdin = strings.NewReader(strings.Repeat("x", 11<<20) + "\n")
	out, err := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != 125 || string(out) != "dsh: the client sent a message of 10 MiB or more, which is longer than any that is read\n" {
		t.Errorf("exit status %d, %q, %v", status, out, err)
	}
}
