package sandboxlocal

var platformRunners = []string{Seatbelt}
