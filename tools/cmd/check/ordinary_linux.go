package main

import (
	"os"
	"os/exec"
	"syscall"
)

func canBecomeOrdinary() bool { return os.Geteuid() == 0 }

// becomeOrdinary makes the command start as an ordinary user.
func becomeOrdinary(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: ordinaryID, Gid: ordinaryID},
	}
}
