//go:build !linux

package sysfilter

func (f *Filter) install() error { return ErrUnsupported }
