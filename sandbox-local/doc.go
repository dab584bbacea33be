// Package sandboxlocal confines commands with what this machine offers:
// bubblewrap or Landlock on Linux, Seatbelt on macOS, or a runner that the
// operator configures.
//
// A [Provider] picks the first candidate that proves usable, by running it
// with the very profiles that commands will get, and remembers the verdict.
// Where nothing is usable it returns a [sandbox.UnavailableError] that says
// why for each candidate; it never lets a command run unconfined. What the
// chosen candidate cannot hold on the running kernel is named in the report
// of each confinement.
//
// The package starts no command but its probes. It keeps nothing open and
// leaves nothing behind.
package sandboxlocal
