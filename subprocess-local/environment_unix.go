//go:build linux || darwin

package subprocesslocal

import (
	"os"
	"slices"
	"sync"

	"github.com/dsh-go/dsh/bash/subprocess"
)

// environment remembers what is inherited of this program's environment, for
// as long as that does not change. The zero value is ready to use.
type environment struct {
	mu        sync.Mutex
	of        []string
	inherited subprocess.Inherited
}

func (e *environment) current() subprocess.Inherited {
	environ := os.Environ()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Equal(environ, e.of) {
		e.of, e.inherited = environ, subprocess.InheritedFrom(environ)
	}
	return e.inherited
}
