package sandboxlocal

import (
	"context"
	"strings"

	"github.com/dsh-go/dsh/sandbox"
)

// seatbeltProgram is where macOS keeps it. Apple calls it deprecated and ships
// it still.
const seatbeltProgram = "/usr/bin/sandbox-exec"

// seatbelt confines with the sandbox of macOS.
type seatbelt struct{ program }

// probe does nothing: Seatbelt is the sole candidate where it exists, and its
// own refusal is the fail-closed end.
func (s *seatbelt) probe(context.Context) error { return nil }

func (s *seatbelt) confine(c *call) (*sandbox.Confinement, error) {
	outside, inside := splitEnv(withTemp(c.Env, c.writable))
	started, err := seatbeltArgv(c, inside)
	if err != nil {
		return nil, err
	}
	return &sandbox.Confinement{
		Argv: append([]string{s.path, "-p", seatbeltProfile(c.writable)}, started...),
		Env:  outside,
		Dialect: sandbox.Dialect{
			Denials:  []string{"operation not permitted"},
			Failures: []sandbox.FailureRule{{Fatal: []string{"sandbox-exec: "}}},
		},
		Report: sandbox.Report{Runner: Seatbelt, Enforcement: sandbox.Full},
	}, nil
}

// seatbeltArgv has env(1) set variables inside, where there are any.
func seatbeltArgv(c *call, inside []variable) ([]string, error) {
	if len(inside) == 0 {
		return c.Argv, nil
	}
	if strings.Contains(c.Argv[0], "=") {
		return nil, &RequestError{Field: "Argv", Value: c.Argv[0], Err: ErrBadProgram}
	}
	argv := []string{"/usr/bin/env"}
	for _, v := range inside {
		argv = append(argv, v.name+"="+v.value)
	}
	return append(argv, c.Argv...), nil
}

// seatbeltProfile allows everything but writing, and writing beneath the given
// canonical directories. The last rule that matches an operation decides it.
func seatbeltProfile(writable []string) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n(allow file-write* (literal \"/dev/null\"))\n")
	for _, dir := range writable {
		b.WriteString("(allow file-write* (subpath " + seatbeltQuote(dir) + "))\n")
	}
	return b.String()
}

// seatbeltQuote returns s as a string literal of the profile language, in
// which a backslash makes the following quote or backslash an ordinary
// character. No directory name can end the literal.
func seatbeltQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
