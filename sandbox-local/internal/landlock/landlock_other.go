//go:build !linux

package landlock

func detect() (Kernel, error) {
	return Kernel{}, &Error{Step: "asking for the ABI version", Err: ErrUnsupported}
}

func (k Kernel) enforce(Grants) error {
	return &Error{Step: "restricting the thread", Err: ErrUnsupported}
}
