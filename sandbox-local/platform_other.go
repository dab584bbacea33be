//go:build !linux && !darwin

package sandboxlocal

var platformRunners []string
