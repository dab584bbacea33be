//go:build !linux

package main

import "errors"

var errNoLandlock = errors.New("only Linux has it")

func missingLandlock() error { return errNoLandlock }
