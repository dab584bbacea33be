//go:build !linux && !darwin

package main

// systemRunners are the runners of this system: none.
var systemRunners []string

var remedies map[string]func() string
