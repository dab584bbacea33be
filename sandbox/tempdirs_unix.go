//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"syscall"
)

// perUserTemp finds the temporary directory that macOS keeps for a user (what
// confstr(3) calls _CS_DARWIN_USER_TEMP_DIR) by its place and its owner: T in
// a directory of two levels beneath folders, where only the system can make
// entries. TMPDIR names the same directory, but anybody can set it.
func perUserTemp(folders string, uid int) []string {
	candidates, err := filepath.Glob(filepath.Join(folders, "*", "*", "T"))
	if err != nil {
		return nil
	}
	var dirs []string
	for _, dir := range candidates {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int64(stat.Uid) == int64(uid) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
