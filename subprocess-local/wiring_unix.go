//go:build linux || darwin

package subprocesslocal

import (
	"os"

	"github.com/dsh-go/dsh/bash/subprocess"
	"golang.org/x/sys/unix"
)

// firstFD is the first descriptor of a child beyond the standard ones.
const firstFD = 3

// wiring is the descriptors of one start: those of the child, and this
// program's ends of the pipes. What a spec does not ask for is nil.
type wiring struct {
	child   []uintptr // by their number in the child
	private []int     // those of child that are closed here once it has them

	stdin, stdout, stderr, status *end
	feeds                         []feed
}

// end is this program's end of a pipe. Having it polled takes as long as making
// the pipe, so it becomes a file only when the child is on its way.
type end struct {
	fd   int
	name string
	file *os.File
}

// open returns the file, which the runtime polls. The child's end is another
// open file and keeps blocking.
func (e *end) open() *os.File {
	if e.file == nil {
		_ = unix.SetNonblock(e.fd, true) // fails for no pipe (fcntl(2)); a file that blocks works, too
		e.file = os.NewFile(uintptr(e.fd), e.name)
	}
	return e.file
}

// feed is what is still to be written into an input's pipe.
type feed struct {
	to   *os.File
	rest []byte
}

// wire makes the descriptors for spec. After an error nothing is left open.
func wire(spec subprocess.Spec) (*wiring, error) {
	w := &wiring{}
	err := w.wireInput(spec)
	if err == nil {
		w.stdout, err = w.wireOutput(spec.Stdout, unix.Stdout)
	}
	if err == nil {
		w.stderr, err = w.wireOutput(spec.Stderr, unix.Stderr)
	}
	for i := 0; err == nil && i < len(spec.Inputs); i++ {
		err = w.wireContent(spec.Inputs[i])
	}
	if err == nil && spec.Status != nil {
		w.status, err = w.readingPipe("status")
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// give adds the child's next descriptor.
func (w *wiring) give(fd int) {
	w.child = append(w.child, uintptr(fd))
	w.private = append(w.private, fd)
}

func (w *wiring) wireInput(spec subprocess.Spec) (err error) {
	if spec.Stdin != nil || spec.StdinPipe {
		w.stdin, err = w.writingPipe("stdin")
		return err
	}
	null, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: os.DevNull, Err: err}
	}
	w.give(null)
	return nil
}

// wireOutput wires one output stream. Inherited is this program's descriptor
// of the same stream.
func (w *wiring) wireOutput(out subprocess.Output, inherited int) (*end, error) {
	if out.Mode == subprocess.Inherit {
		w.child = append(w.child, uintptr(inherited))
		return nil, nil
	}
	return w.readingPipe("output")
}

// wireContent gives the child a descriptor from which it reads content. What
// fits into the pipe is written at once.
func (w *wiring) wireContent(content []byte) error {
	input, err := w.writingPipe("input")
	if err != nil {
		return err
	}
	to := input.open()
	n, rest := writeNow(to, content), content
	if rest = rest[n:]; len(rest) == 0 {
		return to.Close()
	}
	w.feeds = append(w.feeds, feed{to, rest})
	return nil
}

// readingPipe gives the child the writing end of a pipe and returns the other.
func (w *wiring) readingPipe(name string) (*end, error) {
	ours, theirs, err := pipe()
	if err != nil {
		return nil, err
	}
	w.give(theirs)
	return &end{fd: ours, name: name}, nil
}

// writingPipe gives the child the reading end of a pipe and returns the other.
func (w *wiring) writingPipe(name string) (*end, error) {
	theirs, ours, err := pipe()
	if err != nil {
		return nil, err
	}
	w.give(theirs)
	return &end{fd: ours, name: name}, nil
}

// pipe returns a pipe with both ends above the standard descriptors, for a
// host program that closed one of those: a write to a broken pipe that is its
// standard output would end it.
func pipe() (r, w int, err error) {
	r, w, err = closedPipe()
	if err != nil {
		return -1, -1, err
	}
	if r, err = aboveStandard(r); err != nil {
		unix.Close(w)
		return -1, -1, err
	}
	if w, err = aboveStandard(w); err != nil {
		unix.Close(r)
		return -1, -1, err
	}
	return r, w, nil
}

// aboveStandard replaces fd if it is one of the standard descriptors.
func aboveStandard(fd int) (int, error) {
	if fd > unix.Stderr {
		return fd, nil
	}
	defer unix.Close(fd)
	higher, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, unix.Stderr+1)
	return higher, os.NewSyscallError("fcntl", err)
}

// started closes the child's descriptors here, now that it has them.
func (w *wiring) started() {
	for _, fd := range w.private {
		unix.Close(fd)
	}
	w.private = nil
}

// close closes everything, for a start that failed.
func (w *wiring) close() {
	w.started()
	for _, e := range []*end{w.stdin, w.stdout, w.stderr, w.status} {
		if e != nil {
			e.open().Close()
		}
	}
	for _, feed := range w.feeds {
		feed.to.Close()
	}
}
