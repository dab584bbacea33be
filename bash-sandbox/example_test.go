package bashsandbox_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dsh-go/dsh/bash"
	bashsandbox "github.com/dsh-go/dsh/bash-sandbox"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
)

func Example() {
	var procs subprocesslocal.Service
	defer procs.Close(context.Background())
	policies, err := sandboxpolicy.New(sandboxpolicy.Config{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: "."})
	if err != nil {
		log.Fatal(err)
	}
	sh, err := bashsandbox.New(bashsandbox.Config{}, &procs, &sandboxlocal.Provider{}, policies)
	if err != nil {
		log.Fatal(err)
	}
	result, err := bash.Run(context.Background(), sh, bash.Request{Command: "echo hello; touch /nope"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(result.Stdout.Text)
	fmt.Println("denied:", result.Sandbox.Denied)
	// Output:
	// hello
	// denied: true
}
