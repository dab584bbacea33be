//go:build !race

package subprocesslocal

const raceEnabled = false
