//go:build !linux

package capability

func held() (Set, error) { return 0, ErrUnsupported }

func drop() error { return ErrUnsupported }
