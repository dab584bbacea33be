//go:build !linux

package sysfilter

func install(Options) error { return ErrUnsupported }
