package main

import (
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	"github.com/dsh-go/dsh/tools/internal/remedy"
)

// systemRunners are the runners of this system, in the order of selection.
var systemRunners = []string{sandboxlocal.Bwrap, sandboxlocal.Landlock}

var remedies = map[string]func() string{
	sandboxlocal.Bwrap:    remedy.This().Bwrap,
	sandboxlocal.Landlock: remedy.This().Landlock,
}
