//go:build race

package subprocesslocal

const raceEnabled = true
