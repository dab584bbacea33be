//go:build unix && !linux

package sandboxtest

import (
	"io/fs"
	"syscall"
)

func describeMore(string, fs.FileInfo, *syscall.Stat_t) string { return "" }
