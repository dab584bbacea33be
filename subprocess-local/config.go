package subprocesslocal

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
)

// DefaultSpillMaxAge is how long a spill file that was kept stays.
const DefaultSpillMaxAge = 7 * 24 * time.Hour

// Config configures a [Service]. The zero value is the default.
type Config struct {
	// KeepSpills leaves spill files in place at Close, to be swept by age.
	KeepSpills bool
	// SpillDirs are absolute directories in which this service makes its own
	// directory for spill files; the first usable one is taken. Nil means the
	// user's cache directory, then /var/tmp, then XDG_RUNTIME_DIR. What lies
	// beneath /tmp is never used, because a confined command has a /tmp of its
	// own and could not read it.
	SpillDirs []string
	// SpillMaxAge is how long after its last change a kept spill file is
	// removed, by the next service that spills into the same directory. Zero
	// means DefaultSpillMaxAge.
	SpillMaxAge time.Duration
	// Subreaper makes the program a child subreaper (prctl(2),
	// PR_SET_CHILD_SUBREAPER) before the first start: what its commands leave
	// behind becomes its child and is reaped by the service, Close need not
	// search the process table when the program has no child left, and it kills
	// every child that is left in another session than the program's own, unless
	// it was there before the first start. It is for a program that exists to run
	// confined commands through one service, and that begins no session by other
	// means: the service takes the status of any child that it finds in another
	// session. An unconfined command that joins another PID namespace (setns(2))
	// can leave a child there, which only the search finds. It has no effect if
	// the first start has a Status, for a runner that reports leaves processes
	// that end a moment after it, and none on other systems than Linux.
	Subreaper bool
	// Logger is told, at debug level, what is started and ended and where it
	// spills. It gets no arguments and no environment. Nil means silence.
	Logger *slog.Logger
}

// ConfigError is a field of a [Config] that cannot be used.
type ConfigError struct {
	// Field is the field of [Config] at fault.
	Field string
	// Value is what it was set to, in part.
	Value string
	// Err is the reason, never nil.
	Err error
}

// Error names the field and the value.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("subprocesslocal: %s %q %v", e.Field, e.Value, e.Err)
}

// Unwrap returns the reason.
func (e *ConfigError) Unwrap() error { return e.Err }

func (c Config) validate() error {
	for _, dir := range c.SpillDirs {
		if strings.ContainsRune(dir, 0) {
			return &ConfigError{Field: "SpillDirs", Value: dir, Err: subprocess.ErrNUL}
		}
		if !filepath.IsAbs(dir) {
			return &ConfigError{Field: "SpillDirs", Value: dir, Err: subprocess.ErrNotAbsolute}
		}
	}
	if c.SpillMaxAge < 0 {
		return &ConfigError{Field: "SpillMaxAge", Value: c.SpillMaxAge.String(), Err: subprocess.ErrNegative}
	}
	return nil
}

// clone keeps c from changes that its owner makes later.
func (c Config) clone() Config {
	c.SpillDirs = slices.Clone(c.SpillDirs)
	return c
}

func (c Config) spillMaxAge() time.Duration {
	if c.SpillMaxAge == 0 {
		return DefaultSpillMaxAge
	}
	return c.SpillMaxAge
}

func (c Config) logger() *slog.Logger {
	if c.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Logger
}
