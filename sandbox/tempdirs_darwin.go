package sandbox

import "os"

// temporaryDirs are the directories of the temporary area.
func temporaryDirs() []string {
	return append([]string{"/private/tmp"}, perUserTemp("/private/var/folders", os.Getuid())...)
}
