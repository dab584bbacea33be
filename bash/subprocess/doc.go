// Package subprocess is the process seam: how an executor asks for a process,
// follows its output and ends it, whoever runs the process and wherever.
//
// A [Service] starts processes from a [Spec] in which nothing is implied, and
// gives a [Handle] to each. The package holds interfaces, plain types,
// constants, errors and small functions. It starts no process and no
// goroutine and writes nothing.
//
// Offsets, everywhere in this package, count the raw bytes of a whole stream
// from its beginning. Text is valid UTF-8: bytes that are not become U+FFFD,
// and a rune is never split.
package subprocess
