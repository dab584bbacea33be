//go:build !linux

package main

func first() error { return errNotAGuest }

func runJobs() error { return errNotAGuest }
