package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// debianKeys verify what is fetched.
const debianKeys = "/usr/share/keyrings/debian-archive-keyring.gpg"

var emulators = need{
	what: "emulators, and apt to fetch kernels for them", get: "on Debian, apt-get install qemu-system-x86 qemu-system-arm debian-archive-keyring",
	packages: []string{"qemu-system-x86", "qemu-system-arm", "debian-archive-keyring"},
	missing: func(context.Context) error {
		for _, program := range []string{"qemu-system-x86_64", "qemu-system-aarch64", "apt-get", "apt-cache", "dpkg-deb"} {
			if _, err := exec.LookPath(program); err != nil {
				return err
			}
		}
		_, err := os.Stat(debianKeys)
		return err
	},
}

var errNoKernel = errors.New("no kernel was tried")

// otherKernels has every effect tried once per runner and mode on every kernel.
// A kernel that was not proven makes the program fail.
func otherKernels(ctx context.Context, s *session) (string, error) {
	out, err := s.here().Go(ctx, "run", "./tools/cmd/kernels", "-short")
	return kernelsVerdict(out, err)
}

// kernelsVerdict counts the lines that say how a kernel did.
func kernelsVerdict(out string, err error) (string, error) {
	proven := 0
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "ok ") {
			proven++
		}
	}
	if err == nil && proven == 0 {
		err = errNoKernel
	}
	return fmt.Sprintf("%d kernels", proven), err
}
