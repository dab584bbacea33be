// Package subprocesstest is the conformance suite for implementations of
// [subprocess.Service]. It needs the standard library and a POSIX shell at
// /bin/sh.
//
// The suite assumes a service that runs processes on the machine, and with the
// environment, of the program that runs the test. What depends on the
// operating system beyond POSIX, such as processes that leave their group, is
// for the implementation's own tests.
package subprocesstest
