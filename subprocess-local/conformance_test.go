//go:build linux || darwin

package subprocesslocal

import (
	"testing"

	"github.com/dsh-go/dsh/bash/subprocess"
	"github.com/dsh-go/dsh/bash/subprocess/subprocesstest"
)

func TestConformance(t *testing.T) {
	subprocesstest.Run(t, func(*testing.T) subprocess.Service { return &Service{} })
}
