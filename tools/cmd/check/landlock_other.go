//go:build !linux

package main

func missingLandlock() error { return errNoLandlock }
