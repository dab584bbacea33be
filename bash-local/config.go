package bashlocal

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// The defaults that a zero [Config] stands for.
const (
	DefaultShell      = "bash"
	DefaultTimeout    = 120 * time.Second
	DefaultMaxTimeout = 600 * time.Second
	DefaultMaxBytes   = 64_000
	DefaultSpillBytes = 64 << 20
	DefaultGrace      = 3 * time.Second
)

// Config configures an [Executor]. The zero value is the documented default.
type Config struct {
	// Shell is bash: an absolute path, or a name that is looked up in the
	// service's PATH. Empty means DefaultShell.
	Shell string
	// Workdir is where commands start that name no working directory. Empty
	// means the process's own at the time of New.
	Workdir string
	// Timeout bounds a foreground run that asks for none. Zero means
	// DefaultTimeout, negative no bound but MaxTimeout.
	Timeout time.Duration
	// MaxTimeout caps every timeout. Zero means DefaultMaxTimeout, negative no
	// cap.
	MaxTimeout time.Duration
	// MaxBytes is how many raw bytes of each stream are kept in memory. Zero
	// means DefaultMaxBytes.
	MaxBytes int
	// SpillBytes is the longest stream for which an overflow is kept on disk.
	// Zero means DefaultSpillBytes, negative that nothing is written to disk.
	SpillBytes int64
	// Grace is the time between the polite signal and SIGKILL. Zero means
	// DefaultGrace, negative no time at all.
	Grace time.Duration
	// Env holds entries for every command, over the terminal-friendly
	// defaults and under what a request sets. Nil means none.
	Env map[string]string
	// Logger, if set, tells what was started and how it ended, at level debug.
	// It is never given a command's text or the value of a variable.
	Logger *slog.Logger
}

// ConfigError is a configuration that cannot be used.
type ConfigError struct {
	// Field is the field of [Config] at fault, or "service".
	Field string
	// Err is the reason, never nil.
	Err error
}

// Error names the field and the reason.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("bashlocal: invalid configuration: %s: %v", e.Field, e.Err)
}

// Unwrap returns the reason.
func (e *ConfigError) Unwrap() error { return e.Err }

var (
	errNUL       = errors.New("contains a NUL byte")
	errNegative  = errors.New("is negative")
	errName      = errors.New("has a name that is empty or has a \"=\" in it")
	errNoService = errors.New("a process service is required")
)

// terminalEnv keeps programs from paging, colouring or drawing for a terminal
// that is not there. LANGUAGE keeps tool messages in English without touching
// the character set, which LC_ALL=C would.
var terminalEnv = map[string]string{
	"NO_COLOR":  "1",
	"TERM":      "dumb",
	"PAGER":     "cat",
	"GIT_PAGER": "cat",
	"LANGUAGE":  "en",
}

// completed returns c with its defaults filled in and everything validated.
func (c Config) completed() (Config, error) {
	if strings.ContainsRune(c.Shell, 0) {
		return c, &ConfigError{"Shell", errNUL}
	}
	if c.MaxBytes < 0 {
		return c, &ConfigError{"MaxBytes", errNegative}
	}
	for name, value := range c.Env {
		if err := checkEntry(name, value); err != nil {
			return c, &ConfigError{"Env", err}
		}
	}
	workdir, err := sandbox.Canonical(orDefault(c.Workdir, "."))
	if err != nil {
		return c, &ConfigError{"Workdir", err}
	}
	c.Workdir = workdir
	c.Shell = orDefault(c.Shell, DefaultShell)
	c.Timeout = orDefault(c.Timeout, DefaultTimeout)
	c.MaxTimeout = orDefault(c.MaxTimeout, DefaultMaxTimeout)
	c.MaxBytes = orDefault(c.MaxBytes, DefaultMaxBytes)
	c.SpillBytes = orDefault(c.SpillBytes, DefaultSpillBytes)
	c.Grace = max(0, orDefault(c.Grace, DefaultGrace))
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// timeout returns what is in force for a request that asks for wanted; zero
// means no bound.
func (c Config) timeout(wanted time.Duration) time.Duration {
	timeout := orDefault(wanted, c.Timeout)
	switch {
	case c.MaxTimeout < 0:
		return max(0, timeout)
	case timeout < 0:
		return c.MaxTimeout
	default:
		return min(timeout, c.MaxTimeout)
	}
}

// checkEntry holds an environment entry to environ(7).
func checkEntry(name, value string) error {
	if name == "" || strings.ContainsRune(name, '=') {
		return fmt.Errorf("%q %w", name, errName)
	}
	if strings.ContainsRune(name, 0) || strings.ContainsRune(value, 0) {
		return fmt.Errorf("%q %w", name, errNUL)
	}
	return nil
}

func orDefault[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}
