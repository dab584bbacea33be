//go:build !linux

package lockdown

import "github.com/dsh-go/dsh/sandbox-local/internal/landlock"

func (p Plan) apply() error {
	return &landlock.Error{Step: "restricting the thread", Err: landlock.ErrUnsupported}
}

func onThread(f func() error) error { return f() }
