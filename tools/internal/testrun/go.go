package testrun

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/dsh-go/dsh/tools/internal/gotool"
)

// Go runs `go test -json` with the arguments. If tests failed, the error is
// their output; any other error is about the run itself.
func Go(ctx context.Context, cmd gotool.Cmd, args ...string) (*Results, error) {
	return Program(ctx, cmd, slices.Concat([]string{"go", "test", "-json"}, args)...)
}

// Program runs a program that reports on its standard output as `go test -json`
// does. Its errors are those of [Go].
func Program(ctx context.Context, cmd gotool.Cmd, args ...string) (*Results, error) {
	events, feed := io.Pipe()
	results := &Results{}
	read := make(chan error, 1)
	go func() {
		err := results.Read(events)
		events.CloseWithError(err)
		read <- err
	}()
	cmd.Stdout = feed
	_, runErr := cmd.Run(ctx, args...)
	_ = feed.Close() // it never fails
	return results, results.Verdict(errors.Join(<-read, runErr))
}

// Verdict returns what failed as an error. Failed tests say more than the
// error of the run that they were part of, which is what remains otherwise.
func (r *Results) Verdict(runErr error) error {
	if text := r.Failures(); text != "" {
		return errors.New(text)
	}
	return runErr
}
