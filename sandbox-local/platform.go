package sandboxlocal

// defaultRunners are the candidates that this system has, in order.
func defaultRunners() []string { return platformRunners }
