//go:build !darwin

package sandbox

// temporaryDirs are the directories of the temporary area.
func temporaryDirs() []string { return []string{"/tmp"} }
