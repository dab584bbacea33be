package main

import (
	"bufio"
	"context"
	"fmt"
	"regexp"
	"strings"
)

// fuzzTime is how long each target runs.
const fuzzTime = "3s"

var fuzzTarget = regexp.MustCompile(`^Fuzz\w*$`)

// fuzz runs every fuzz target that there is. An input that fails is written
// below the package's testdata/fuzz by the go command, and its output says so.
func fuzz(ctx context.Context, s *session) (string, error) {
	packages, err := s.testPackages(ctx)
	if err != nil {
		return "", err
	}
	count := 0
	for _, p := range packages {
		out, err := s.here().Go(ctx, "test", "-list", "^Fuzz", p.path)
		if err != nil {
			return "", err
		}
		for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
			if !fuzzTarget.MatchString(lines.Text()) {
				continue
			}
			count++
			args := []string{"test", "-run=^$", "-fuzz=^" + lines.Text() + "$", "-fuzztime=" + fuzzTime, p.path}
			if _, err := s.here().Go(ctx, args...); err != nil {
				return lines.Text(), err
			}
		}
	}
	return fmt.Sprintf("%d targets, %s each", count, fuzzTime), nil
}
