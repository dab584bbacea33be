package bashsandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	bashlocal "github.com/dsh-go/dsh/bash-local"
	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/sandbox"
)

// verdict says whose doing the end of a command was.
type verdict struct {
	runnerFailed bool
	detail       string // the runner's own word for it
	denied       bool
}

// verdict attributes the end of a command to whoever caused it. What is known
// for certain comes before what a text suggests:
//
//  1. it never started: the runner's fault or not, as startBlame says;
//  2. we terminated it, or a signal ended the runner: not a runner failure;
//  3. the runner's private channel, which nothing that a command prints can
//     imitate;
//  4. the rules for standard error.
//
// A denial is a non-zero exit with a denial's signature on standard error,
// unless the runner failed.
func (c *call) verdict(s bashlocal.Settlement) verdict {
	if s.Err != nil {
		detail, blame := c.startBlame(s.Err)
		return verdict{runnerFailed: blame, detail: detail}
	}
	if detail, failed := c.runnerFailure(s); failed {
		return verdict{runnerFailed: true, detail: detail}
	}
	exited := s.Outcome.Signal == "" && s.Outcome.ExitCode != 0
	return verdict{denied: exited && c.evidence.denied()}
}

func (c *call) runnerFailure(s bashlocal.Settlement) (detail string, failed bool) {
	if s.Outcome.Terminated || s.Outcome.Signal != "" {
		return "", false
	}
	switch c.started(s.Report) {
	case sandbox.CommandStarted:
		return "", false
	case sandbox.CommandNotStarted:
		return c.evidence.lastWords(s.Outcome.ExitCode), true
	default:
		return c.evidence.failure(s.Outcome.ExitCode)
	}
}

func (c *call) started(report []byte) sandbox.StartState {
	if c.confinement.Status == nil {
		return sandbox.StartUnknown
	}
	return c.confinement.Status.Read(report)
}

// startBlame reports whether a failed start is the runner's fault, and if so
// the runner's or the system's own word for why. The working directory is looked
// at independently, then and there, for a program that is started in a
// directory that is gone fails with the same error as one that is gone itself.
func (c *call) startBlame(err error) (detail string, blame bool) {
	var failed *subprocess.StartError
	if !errors.As(err, &failed) {
		return "", false
	}
	switch failed.Stage {
	case subprocess.StageRestrict:
		return failed.Err.Error(), true
	case subprocess.StageExec:
		argv := c.confinement.Argv
		ours := len(argv) > 0 && failed.Program == argv[0]
		gone := errors.Is(failed.Err, fs.ErrNotExist) || errors.Is(failed.Err, syscall.EACCES)
		if ours && gone && enterable(c.spec.Workdir) {
			return failed.Error(), true
		}
	}
	return "", false
}

// enterable reports whether dir is a directory that this process may enter:
// resolving a name inside it takes the search permission that chdir takes.
func enterable(dir string) bool {
	info, err := os.Stat(dir + string(filepath.Separator) + ".")
	return err == nil && info.IsDir()
}
