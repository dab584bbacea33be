//go:build !linux

package sandboxtest

import "github.com/dsh-go/dsh/sandbox"

// What follows is about Linux alone.

func devPrefixes(string) []string { return nil }

func keepXattr(string) {}

func nodes(sandbox.Effect) map[sandbox.Place][]string { return nil }

func restoreNodes() {}

func unmountAll(string) error { return nil }
