//go:build !unix

package sandboxtest

import "io/fs"

func describeInode(string, fs.FileInfo) string { return "" }
