package sandboxlocal

import (
	"log/slog"
	"path/filepath"
	"strings"
	"time"
)

// The runners, as [Config.Runners] and reports name them.
const (
	Bwrap    = "bwrap"
	Landlock = "landlock"
	Seatbelt = "seatbelt"
	Custom   = "custom" // the configured runner
)

// DefaultProbeTimeout is how long a candidate may take to prove itself.
const DefaultProbeTimeout = 2 * time.Second

// Config selects and configures the runners. Its zero value is the default.
type Config struct {
	// Runners are the candidates in the order in which they are tried. A sole
	// candidate is used without being probed; its own refusal is then the
	// fail-closed end. An entry may also be the absolute path of a bwrap
	// program, which is then used wherever it lies. Nil means [Custom] alone
	// if RunnerCommand is set; otherwise bwrap and then Landlock on Linux,
	// Seatbelt on macOS, and nothing elsewhere.
	Runners []string
	// RunnerCommand is the configured runner: a program that takes arguments
	// shaped like those of bwrap, which are appended. It is trusted to do
	// what they say, and never probed. Nil means that there is none.
	RunnerCommand []string
	// RunnerFailureSignatures are substrings of a line on standard error by
	// which a failure of the configured runner itself is known. Needed with
	// RunnerCommand, each of them one line that is not blank.
	RunnerFailureSignatures []string
	// ProbeTimeout bounds the probing of one candidate. Zero means
	// [DefaultProbeTimeout].
	ProbeTimeout time.Duration
	// LandlockLauncher is the absolute path of a landlock-run program, or
	// [landlockrun.Self] for a program that serves as its own. If set, it is
	// used even where a thread could be confined. Empty means the thread
	// where the caller can offer one, and otherwise the landlock-run on PATH.
	LandlockLauncher string
	// Logger is told what was selected and probed, and never an environment
	// value. Nil means silence.
	Logger *slog.Logger
}

// validate returns a [*ConfigError].
func (c Config) validate() error {
	if err := c.validateRunners(); err != nil {
		return err
	}
	if err := c.validateCommand(); err != nil {
		return err
	}
	if c.ProbeTimeout < 0 {
		return &ConfigError{Field: "ProbeTimeout", Value: c.ProbeTimeout.String(), Err: ErrNegative}
	}
	if c.LandlockLauncher != "" {
		return validatePath("LandlockLauncher", c.LandlockLauncher)
	}
	return nil
}

func (c Config) validateRunners() error {
	seen := make(map[string]bool)
	for _, entry := range c.Runners {
		name, known := runnerOf(entry)
		switch {
		case !known:
			return &ConfigError{Field: "Runners", Value: entry, Err: ErrUnknownRunner}
		case seen[name]:
			return &ConfigError{Field: "Runners", Value: entry, Err: ErrRepeatedRunner}
		case name == Custom && len(c.RunnerCommand) == 0:
			return &ConfigError{Field: "Runners", Value: entry, Err: ErrNoRunnerCommand}
		}
		seen[name] = true
	}
	if len(c.Runners) > 0 && !seen[Custom] && len(c.RunnerCommand) > 0 {
		return &ConfigError{Field: "RunnerCommand", Value: c.RunnerCommand[0], Err: ErrUnusedRunnerCommand}
	}
	return nil
}

// runnerOf returns the runner that an entry of Config.Runners means.
func runnerOf(entry string) (name string, known bool) {
	switch entry {
	case Bwrap, Landlock, Seatbelt, Custom:
		return entry, true
	}
	if filepath.IsAbs(entry) && filepath.Base(entry) == Bwrap && !strings.ContainsRune(entry, 0) {
		return Bwrap, true
	}
	return "", false
}

func (c Config) validateCommand() error {
	if len(c.RunnerCommand) == 0 {
		return nil
	}
	if strings.TrimSpace(c.RunnerCommand[0]) == "" {
		return &ConfigError{Field: "RunnerCommand", Value: c.RunnerCommand[0], Err: ErrBlank}
	}
	for _, arg := range c.RunnerCommand {
		if strings.ContainsRune(arg, 0) {
			return &ConfigError{Field: "RunnerCommand", Value: arg, Err: ErrNUL}
		}
	}
	if len(c.RunnerFailureSignatures) == 0 {
		return &ConfigError{Field: "RunnerFailureSignatures", Err: ErrNoSignatures}
	}
	for _, signature := range c.RunnerFailureSignatures {
		switch {
		case strings.TrimSpace(signature) == "":
			return &ConfigError{Field: "RunnerFailureSignatures", Value: signature, Err: ErrBlank}
		case strings.ContainsAny(signature, "\n\r"):
			return &ConfigError{Field: "RunnerFailureSignatures", Value: signature, Err: ErrSeveralLines}
		}
	}
	return nil
}

func validatePath(field, path string) error {
	switch {
	case !filepath.IsAbs(path):
		return &ConfigError{Field: field, Value: path, Err: ErrNotAbsolute}
	case strings.ContainsRune(path, 0):
		return &ConfigError{Field: field, Value: path, Err: ErrNUL}
	}
	return nil
}

// entries returns the candidates in order.
func (c Config) entries() []string {
	switch {
	case len(c.Runners) > 0:
		return c.Runners
	case len(c.RunnerCommand) > 0:
		return []string{Custom}
	default:
		return defaultRunners()
	}
}

func (c Config) probeTimeout() time.Duration {
	if c.ProbeTimeout == 0 {
		return DefaultProbeTimeout
	}
	return c.ProbeTimeout
}

func (c Config) logger() *slog.Logger {
	if c.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Logger
}
