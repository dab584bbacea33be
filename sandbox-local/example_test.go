package sandboxlocal_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
)

// A caller that can start nothing but an argv gets one that confines itself,
// or learns why there is none.
func ExampleProvider_Confine() {
	root, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	if root, err = sandbox.Canonical(root); err != nil {
		log.Fatal(err)
	}
	var provider sandboxlocal.Provider
	confinement, err := provider.Confine(context.Background(), sandbox.Request{
		Argv:   []string{"/bin/sh", "-c", "echo x >must-not-exist"},
		Dir:    root,
		Policy: sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: root},
	})
	var unavailable *sandbox.UnavailableError
	if errors.As(err, &unavailable) {
		fmt.Println("refused") // the message says why, for each candidate
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	cmd := exec.Command(confinement.Argv[0], confinement.Argv[1:]...)
	cmd.Dir, cmd.Env = root, os.Environ()
	for name, value := range confinement.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if err := cmd.Run(); err != nil {
		fmt.Println("refused")
	}
	// Output: refused
}
