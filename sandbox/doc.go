// Package sandbox is the confinement seam: the vocabulary in which a program
// that starts commands and a backend that confines them talk to each other.
//
// A caller describes what it is about to start and under which [Policy]; a
// [Provider] answers with a [Confinement], which says what to start instead
// and what the confinement really enforces. The package holds plain types,
// constants, errors and small functions that at most read file metadata. It
// starts no process and no goroutine, writes nothing, and depends on nothing
// but the standard library.
//
// # What a mode promises
//
// By its own system calls, a command under [ReadOnly] changes no file of the
// host, and one under [WorkspaceWrite] changes only files beneath the
// workspace root and the temporary area. What a backend cannot hold on the
// running kernel is named as a [Gap], and the [Report] then says [Partial].
//
// # What it does not promise
//
// Network and credentials are outside the vocabulary: a confined command may
// read every file that its user may read, and may send it anywhere. Outside
// the promise, too, are effects that the command has another process carry out
// for it (over a socket, an existing FIFO or System V memory), hard links that
// already lie inside the workspace, and access times.
package sandbox
