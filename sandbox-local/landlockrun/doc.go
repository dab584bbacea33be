// Package landlockrun is a launcher that confines itself with Landlock and
// then becomes the command, for callers that cannot confine the thread from
// which they start it. Its program is cmd/landlock-run:
//
//	landlock-run [--ro PATH]... [--rw PATH]... [--read-only] [--setenv NAME VALUE]... [--status-fd N] -- ARGV...
//	landlock-run --probe
//
// Nothing may be written but at and beneath the --rw paths; reading and
// executing stay free, unless a --ro path is given, and are then limited to
// the --ro and --rw paths. --read-only refuses, besides, the system calls that
// change a file without writing it. Root loses the capabilities that would
// undo the confinement. --setenv applies after the confinement. Nothing of the
// launcher is decided by its environment.
//
// On the status descriptor the launcher writes [StatusExec] just before it
// executes the command, and a [StatusFailed] line when anything fails; an
// empty report tells nothing. Every failure of its own is one line on standard
// error that begins with [Prefix], and exit code [ExitFailure]; the command
// did not run then. A command's own exit code, that one included, passes
// through. A kernel that does not govern every file effect is announced with
// [PartialNotice], and the command runs.
package landlockrun

// What the launcher says. Programs match these texts.
const (
	// ExitFailure is the exit code when the launcher itself failed.
	ExitFailure = 125
	// Prefix begins every line of the launcher on standard error.
	Prefix = "landlock-run: "
	// PartialNotice is the line on standard error, before the command runs,
	// where the kernel's Landlock is too old to govern every file effect.
	PartialNotice = Prefix + "partial enforcement (older Landlock ABI)"
	// FullyEnforced and PartiallyEnforced are the answers to --probe.
	FullyEnforced     = "landlock: fully enforced"
	PartiallyEnforced = "landlock: partially enforced (older ABI)"
	// StatusExec and StatusFailed begin the lines on the status descriptor.
	StatusExec   = "exec"
	StatusFailed = "failed: "
)

// A program can serve as its own launcher. It opts in by running [Main] when
// its first argument is [SelfArg]:
//
//	if len(os.Args) > 1 && os.Args[1] == landlockrun.SelfArg {
//		os.Exit(landlockrun.Main(os.Args[2:]))
//	}
//
// and by configuring [Self] as its launcher.
const (
	Self    = "/proc/self/exe"
	SelfArg = "landlock-run"
)
