// Package bashlocal runs bash commands over a process service and confines
// nothing.
//
// [Executor] implements [bash.Executor]: timeouts and cancellations are facts
// on the result, output is collected with bounded memory, and no start waits
// for anything but the command. It refuses a policy that confines with
// [bash.ErrCannotConfine].
//
// An executor that confines is built on it: [Executor.Prepare] says what would
// be started, and [Executor.RunLaunch] and [Executor.StartLaunch] start what
// was made of it.
package bashlocal
