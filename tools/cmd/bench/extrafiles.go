package main

import (
	"os"
	"os/exec"
)

// firstExtraFile is where os/exec numbers Cmd.ExtraFiles from.
const firstExtraFile = 3

// runWith runs cmd with readable descriptors of the given contents, and then,
// if asked, a pipe for a report, which is left unread: it is shorter than any
// pipe. So are the contents.
func runWith(cmd *exec.Cmd, inputs [][]byte, status bool) error {
	var open []*os.File
	defer func() {
		for _, f := range open {
			f.Close()
		}
	}()
	for _, content := range inputs {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		open = append(open, r)
		cmd.ExtraFiles = append(cmd.ExtraFiles, r)
		_, err = w.Write(content)
		if closeErr := w.Close(); err != nil || closeErr != nil {
			return err
		}
	}
	if status {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		open = append(open, r, w)
		cmd.ExtraFiles = append(cmd.ExtraFiles, w)
	}
	return cmd.Run()
}
