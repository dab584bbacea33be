//go:build !darwin

package sandboxlocal

func openSeatbelt() (runner, error) { return nil, errWrongSystem }
