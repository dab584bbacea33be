package subprocesslocal

// openDirectory fails if dir cannot be entered.
func openDirectory(dir string) (directory, error) { return byPath(dir) }
