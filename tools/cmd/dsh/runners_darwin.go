package main

import sandboxlocal "github.com/dsh-go/dsh/sandbox-local"

// systemRunners are the runners of this system, in the order of selection.
var systemRunners = []string{sandboxlocal.Seatbelt}

var remedies = map[string]func() string{
	sandboxlocal.Seatbelt: func() string {
		return "make sure that /usr/bin/sandbox-exec is there, and do not start dsh from a program that is itself sandboxed"
	},
}
