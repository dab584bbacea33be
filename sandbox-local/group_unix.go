//go:build unix

package sandboxlocal

import (
	"os/exec"
	"syscall"
)

// ownGroup has cmd lead a process group that is killed as a whole.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
