package landlockrun

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dsh-go/dsh/sandbox-local/internal/landlock"
)

// Main is the launcher. It takes the arguments after the program's name and
// returns the exit code; if all goes well it does not return, because the
// command has taken the program's place. It must be called before the program
// does anything else.
func Main(args []string) int {
	opts, err := parse(args)
	if err == nil && opts.probe {
		err = answerProbe(os.Stdout)
		if err == nil {
			return 0
		}
	}
	if err == nil {
		err = launch(opts) // returns only if it failed
	}
	fmt.Fprintln(os.Stderr, Prefix+oneLine(err))
	report(opts.statusFD, StatusFailed+oneLine(err))
	return ExitFailure
}

// partial reports whether there is a file effect that the kernel's Landlock is
// too old to govern.
func partial(kernel landlock.Kernel) bool { return kernel.ABI < landlock.ABIDeviceIoctls }

var errNotEnforced = errors.New("a write that must be denied was not")

// answerProbe enforces a real ruleset and tries it.
func answerProbe(out io.Writer) error {
	kernel, err := tryRuleset()
	if err != nil {
		return err
	}
	answer := FullyEnforced
	if partial(kernel) {
		answer = PartiallyEnforced
	}
	_, err = fmt.Fprintln(out, answer)
	return err
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
