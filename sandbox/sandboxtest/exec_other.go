//go:build !linux

package sandboxtest

// closeOnExec has nothing to do: the suite opens no inheritable descriptors
// here.
func closeOnExec() {}
