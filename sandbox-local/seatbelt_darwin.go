package sandboxlocal

func openSeatbelt() (runner, error) {
	found, err := findProgram(seatbeltProgram)
	if err != nil {
		return nil, err
	}
	return &seatbelt{program: found}, nil
}
