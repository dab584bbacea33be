package sandboxlocal

import (
	"golang.org/x/sys/unix"
)

// mayLabel reports whether an ordinary user of this kernel may set extended
// attributes of the security namespace, which is meant for the privileged
// (xattr(7)). Some kernels with the BPF security module allow it on any inode,
// a host's device nodes among them: seen with Debian's 6.1. It is tried on a
// file that exists in memory only.
func mayLabel() bool {
	fd, err := unix.MemfdCreate("dsh-probe", unix.MFD_CLOEXEC)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return unix.Fsetxattr(fd, "security.dsh.probe", []byte("x"), 0) == nil
}
