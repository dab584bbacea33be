// Package sysfilter refuses, for a thread and everything that it starts, the
// system calls that change a file without opening it for writing. File rights
// do not govern those: neither Landlock's, nor a read-only bind mount's where
// a device node is the host's own inode.
//
// It is for commands that may change no file at all: with it chmod, touch and
// tar fail everywhere. The program that does it is classic BPF, as seccomp(2)
// takes it, and covers every ABI by which a process can enter the kernel:
// calls of an unknown one do not exist.
package sysfilter

import (
	"errors"
	"runtime"
	"syscall"
)

// ErrUnsupported means that the filter does not know this system or
// architecture.
var ErrUnsupported = errors.New("sysfilter: not supported on this system")

// Options say what is refused, and how.
type Options struct {
	// Errno is what a refused call returns, so that its denial reads like the
	// others of the runner.
	Errno syscall.Errno
	// TimesOnly refuses nothing but to change a file's times, for a runner that
	// holds everything else by itself and must let a command arrange mounts of
	// its own.
	TimesOnly bool
	// Truncation refuses emptying a file by its path, too, for kernels whose
	// Landlock does not.
	Truncation bool
}

// Supported reports whether there is a filter for this machine.
func Supported() bool { return runtime.GOOS == "linux" && abisOf(runtime.GOARCH) != nil }

// Filter is an assembled program. It is immutable and serves any number of
// threads.
type Filter struct{ program program }

// New assembles the filter for this machine.
func New(options Options) (*Filter, error) {
	if !Supported() {
		return nil, ErrUnsupported
	}
	return &Filter{assemble(abisOf(runtime.GOARCH), options)}, nil
}

// Install confines the calling thread, and every process that it starts, for
// good. The caller has locked the thread and given up new privileges.
func (f *Filter) Install() error { return f.install() }

// Bytes returns the program as bwrap's --seccomp takes it: the instructions
// one after the other, as they lie in memory.
func (f *Filter) Bytes() []byte { return encode(f.program) }
