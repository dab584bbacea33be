package sandbox

import "fmt"

// DenialMarker is the line that tells a model that the mode denied a file
// access.
func DenialMarker(mode Mode) string {
	return fmt.Sprintf("[sandbox: file access denied under %s mode]", mode)
}

// EscalationHint is the line that tells a model how to ask for a wider mode.
// The subject is what is to be retried: "command" for a shell tool,
// "operation" for a file tool.
func EscalationHint(subject string) string {
	return fmt.Sprintf("[sandbox: escalation available — retry this exact %s once with sandbox_permissions "+
		"(the narrowest wider mode that suffices) + justification; the approval prompt asks the user]", subject)
}

// RunnerFailedMarker is the line that tells a model that the sandbox, not its
// command, failed.
func RunnerFailedMarker(mode Mode) string {
	return fmt.Sprintf("[sandbox: the sandbox runner itself failed under %s mode — the command did not run; "+
		"this is a sandbox problem, not a command failure]", mode)
}
