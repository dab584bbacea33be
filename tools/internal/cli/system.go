package cli

import "fmt"

// SystemError is an operating system on which nothing can be run.
type SystemError struct{ System string } // as runtime.GOOS has it

// Error names the system and says where to go instead.
func (e *SystemError) Error() string {
	remedy := "run dsh on Linux or macOS"
	if e.System == "windows" {
		remedy = "run dsh inside WSL2 (wsl --install), where it is a Linux program"
	}
	return fmt.Sprintf("%s has neither a sandbox runner nor a process service, so no command is run here; %s", e.System, remedy)
}

// Code returns the stable name of this kind of failure.
func (e *SystemError) Code() string { return "UNSUPPORTED_SYSTEM" }

// CheckSystem returns a *[SystemError] for a system on which nothing can be run.
func CheckSystem(system string) error {
	switch system {
	case "linux", "darwin":
		return nil
	default:
		return &SystemError{system}
	}
}
