package sandboxlocal

var platformRunners = []string{Bwrap, Landlock}
