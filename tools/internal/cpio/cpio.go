// Package cpio writes archives in the "newc" format, which the Linux kernel
// unpacks as its initial file system (initramfs-buffer-format in the kernel's
// documentation). Every file belongs to root, whoever writes the archive, and
// has the same date, so that the same files give the same bytes.
package cpio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Writer writes one archive. Directories have to come before what they hold.
type Writer struct {
	w       io.Writer
	written int64
	inode   uint32
}

// NewWriter returns a Writer on w. The caller closes it.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// ErrUnsupported is returned for a kind of file that the archive cannot hold.
var ErrUnsupported = errors.New("cpio: neither a regular file, a directory nor a symbolic link")

// magic begins every entry and trailer names the last one.
const (
	magic   = "070701"
	trailer = "TRAILER!!!"
	align   = 4
)

// Kinds of files (inode(7)).
const (
	kindDir     = 0o040000
	kindRegular = 0o100000
	kindSymlink = 0o120000
)

// Write adds one file. The name is slash-separated and relative to the root of
// the archive. The data is a regular file's content or a symbolic link's
// target.
func (w *Writer) Write(name string, mode fs.FileMode, data []byte) error {
	bits, err := modeBits(mode)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w.inode++
	links := uint32(1)
	if mode.IsDir() {
		links = 2
	}
	return w.entry(name, w.inode, bits, links, data)
}

// Close writes the end of the archive. It does not close what lies beneath.
func (w *Writer) Close() error { return w.entry(trailer, 0, 0, 1, nil) }

// entry writes a header, the name and the data, each padded.
func (w *Writer) entry(name string, inode, mode, links uint32, data []byte) error {
	header := magic
	for _, field := range []uint32{
		inode, mode, 0, 0, links, 0, uint32(len(data)),
		0, 0, 0, 0, uint32(len(name) + 1), 0,
	} {
		header += fmt.Sprintf("%08X", field)
	}
	for _, part := range [][]byte{[]byte(header + name + "\x00"), data} {
		if err := w.padded(part); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) padded(part []byte) error {
	n, err := w.w.Write(part)
	w.written += int64(n)
	if err != nil {
		return err
	}
	n, err = w.w.Write(make([]byte, -w.written&(align-1)))
	w.written += int64(n)
	return err
}

// modeBits translates a mode to the one of inode(7).
func modeBits(mode fs.FileMode) (uint32, error) {
	bits := uint32(mode.Perm())
	for special, bit := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if mode&special != 0 {
			bits |= bit
		}
	}
	switch mode.Type() {
	case 0:
		return bits | kindRegular, nil
	case fs.ModeDir:
		return bits | kindDir, nil
	case fs.ModeSymlink:
		return bits | kindSymlink, nil
	default:
		return 0, ErrUnsupported
	}
}
