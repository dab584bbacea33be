package sandbox

// Mode says which files a command may change. The zero value is not a mode.
type Mode string

const (
	// ReadOnly lets a command change no file of the host.
	ReadOnly Mode = "read-only"
	// WorkspaceWrite lets a command change files beneath the workspace root
	// and the temporary area ([WritableRoots]) and no others.
	WorkspaceWrite Mode = "workspace-write"
	// DangerFullAccess confines nothing. It never reaches a [Provider].
	DangerFullAccess Mode = "danger-full-access"
)

// modes lists every mode from the narrowest to the widest.
var modes = [...]Mode{ReadOnly, WorkspaceWrite, DangerFullAccess}

// ParseMode returns the mode that s spells exactly. Anything else, the empty
// string included, is an [*InvalidPolicyError] that names s.
func ParseMode(s string) (Mode, error) {
	if mode := Mode(s); mode.width() >= 0 {
		return mode, nil
	}
	return "", &InvalidPolicyError{Mode: Mode(s), Err: ErrUnknownMode}
}

// Confines reports whether a command under m must be confined. It holds for
// every value but [DangerFullAccess], so that an unknown mode is never taken
// for permission to run unconfined.
func (m Mode) Confines() bool { return m != DangerFullAccess }

// Wider returns the modes that are strictly wider than m, the narrowest first.
// It is empty for [DangerFullAccess] and for a value that is not a mode.
func (m Mode) Wider() []Mode {
	width := m.width()
	if width < 0 {
		return nil
	}
	return append([]Mode(nil), modes[width+1:]...)
}

// width is m's place in modes, or -1 when m is not a mode.
func (m Mode) width() int {
	for i, mode := range modes {
		if m == mode {
			return i
		}
	}
	return -1
}
