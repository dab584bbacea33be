package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dsh-go/dsh/tools/internal/compose"
)

// Source is what the flags say about where the composition is read from, and
// whether the parts tell what they do.
type Source struct {
	Verbose bool

	file  string
	none  bool
	given *pflag.FlagSet
}

// The reasons why --config and --no-config cannot be followed.
var (
	errNoFile = errors.New("the name of the file is empty; --no-config reads none")
	errBoth   = errors.New("--no-config is given too: one says which file to read, the other to read none")
)

// Register adds the flags to cmd.
func (s *Source) Register(cmd *cobra.Command) {
	flags := cmd.Flags()
	s.given = flags
	flags.StringVar(&s.file, "config", "",
		"the configuration `FILE` to read (default: dsh/dsh.yaml in your configuration directory; see dsh config --help)")
	flags.BoolVar(&s.none, "no-config", false, "read no configuration file")
	flags.BoolVarP(&s.Verbose, "verbose", "v", false,
		"say on standard error what was read, selected, probed and started")
	cobra.CheckErr(cmd.MarkFlagFilename("config", "yaml", "yml"))
}

func (s *Source) named() bool { return s.given.Changed("config") }

// Place returns the path of the file that is read if it exists, or "" if none
// is.
func (s *Source) Place() (string, error) {
	switch {
	case s.named() && s.none:
		return "", &FlagError{"config", errBoth}
	case s.none:
		return "", nil
	case s.named() && s.file == "":
		return "", &FlagError{"config", errNoFile}
	case s.named():
		return s.file, nil
	default:
		return compose.UserFile()
	}
}

// Load returns the composition that the file describes, or the default one.
func (s *Source) Load() (compose.Composition, error) {
	file, err := s.Place()
	switch {
	case err != nil || file == "":
		return compose.Composition{}, err
	case !s.named():
		return compose.LoadUser(file)
	}
	c, err := compose.Load(file)
	var unread *fs.PathError
	if errors.As(err, &unread) {
		return c, &FlagError{"config", fmt.Errorf("%s: %w", unread.Path, unread.Err)}
	}
	return c, err
}

// Logger tells on std.Err what is read, selected, probed and started, if asked to.
func (s *Source) Logger(std Streams) *slog.Logger {
	if !s.Verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(std.Err, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 {
				return slog.Attr{}
			}
			return a
		},
	}))
}
