//go:build !linux

package main

import "errors"

func countThreads() int { return 0 }

func countDescriptors() int { return 0 }

func residentGrowth(func() error) (int64, error) { return 0, errors.ErrUnsupported }
