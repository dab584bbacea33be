package subprocesslocal

// openDirectory leaves it to the child to find out whether it can enter dir.
func openDirectory(dir string) (directory, error) {
	return directory{name: dir, fd: -1}, nil
}
