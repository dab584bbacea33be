//go:build !linux && !darwin

package sandbox

// remedy says what to install or switch on.
const remedy = "This system has no sandbox runner; on Windows, run the program inside WSL2"
