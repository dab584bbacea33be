//go:build unix

package sandboxtest

import (
	"fmt"
	"io/fs"
	"syscall"
)

// describeInode adds what package os does not tell.
func describeInode(path string, info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("inode %d links %d owner %d:%d", st.Ino, st.Nlink, st.Uid, st.Gid) + describeMore(path, info, st)
}
