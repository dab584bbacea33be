// Package subprocesslocal runs processes on this machine: the implementation
// of the process seam, [subprocess.Service].
//
// It promises that nothing leaks, hangs or lies. A process and everything it
// started can be ended, memory stays bounded whatever is printed, what a
// leader wrote is delivered even when a descendant keeps its pipes open, and
// after Close no process, descriptor, goroutine, thread or temporary file is
// left.
//
// On Linux a tree is the process group and session of the leader and every
// process that carries the start's cookie, an environment variable whose name
// holds a random id. It does not catch a process that left the session and also
// cleared or overwrote its environment (setsid env -i), that is not dumpable,
// or that runs as a user whom this program may not signal. On macOS a tree is
// the process group alone. Elsewhere Start fails with
// [subprocess.ErrUnsupported].
//
// It confines nothing.
package subprocesslocal
