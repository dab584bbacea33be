package main

import (
	"bytes"
	"context"
	"os/exec"

	"github.com/dsh-go/dsh/tools/internal/benchtable"
)

// bare is the floor: os/exec with both streams into buffers. A process of ours
// leads a session, so this one does: the scheduler groups by session, and
// without it the two would not be treated alike.
func (s *scene) bare(argv []string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.workspace, s.env
	cmd.Stdout, cmd.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd.SysProcAttr = newSession()
	return cmd
}

func (s *scene) bareCase(name string, argv []string) benchtable.Case {
	return benchtable.Case{Name: name, Run: func(context.Context) error { return s.bare(argv).Run() }}
}
