//go:build !linux && !darwin

package main

// ways is empty: nothing confines here.
var ways []way
