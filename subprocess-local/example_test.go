//go:build linux || darwin

package subprocesslocal_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
)

func Example() {
	var procs subprocesslocal.Service
	defer procs.Close(context.Background())

	handle, err := procs.Start(context.Background(), subprocess.Spec{
		Argv:   []string{"/bin/sh", "-c", "tr a-z A-Z; exit 3"},
		Dir:    "/",
		Stdin:  strings.NewReader("hello\n"),
		Stdout: subprocess.Output{MaxBytes: 64_000},
		Stderr: subprocess.Output{MaxBytes: 64_000},
		Grace:  3 * time.Second,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	outcome, err := handle.Outcome()
	fmt.Print(handle.Stdout().ReadFrom(0).Text)
	fmt.Println(outcome.ExitCode, err)
	// Output:
	// HELLO
	// 3 <nil>
}

// A background process is followed by reading on from where the last read
// ended, and ended with everything that it started.
func ExampleService_Start_background() {
	var procs subprocesslocal.Service
	defer procs.Close(context.Background())

	handle, err := procs.Start(context.Background(), subprocess.Spec{
		Argv:   []string{"/bin/sh", "-c", "echo ready; sleep 600 & wait"},
		Dir:    "/",
		Stdout: subprocess.Output{MaxBytes: 64_000},
		Grace:  3 * time.Second,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var offset int64
	for offset < int64(len("ready\n")) {
		chunk := handle.Stdout().ReadFrom(offset)
		fmt.Print(chunk.Text)
		offset = chunk.Next
		time.Sleep(time.Millisecond)
	}
	fmt.Println(handle.Terminate(), handle.Terminate())
	outcome, _ := handle.Outcome()
	fmt.Println(outcome.Signal, outcome.Terminated)
	// Output:
	// ready
	// true false
	// SIGTERM true
}
