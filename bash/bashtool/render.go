package bashtool

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
)

// noOutput stands for an empty output; unavailable for a file that there is
// not.
const (
	noOutput    = "(no output)"
	unavailable = "(unavailable)"
)

// Render returns what the model is told of a foreground result: standard
// output, standard error under its own line, and then, each on its line, where
// the rest of a truncated stream is, a denial and the hint what to do, and how
// the command ended. An unremarkable run adds nothing.
func (t *Tool) Render(result bash.Result) string {
	var p page
	p.text(result.Stdout.Text)
	if result.Stderr.Text != "" {
		p.line("[stderr]")
		p.text(result.Stderr.Text)
	}
	if p.empty() {
		p.line(noOutput)
	}
	for _, output := range []bash.Output{result.Stdout, result.Stderr} {
		if output.Truncated {
			p.line("[output truncated; full output: " + orUnavailable(output.SpillPath) + "]")
		}
	}
	p.lines(t.sandboxMarkers(result.Sandbox)...)
	if result.TimedOut {
		p.line(TimeoutMarker(result.Timeout.Milliseconds()))
	}
	if status := (ExitStatus{Code: result.ExitCode, Signal: result.Signal}); status != (ExitStatus{}) {
		p.line(status.Marker())
	}
	return p.String()
}

// sandboxMarkers says what the sandbox did.
func (t *Tool) sandboxMarkers(info *bash.SandboxInfo) []string {
	switch {
	case info == nil:
		return nil
	case info.RunnerFailed:
		return []string{sandbox.RunnerFailedMarker(info.Mode)}
	case info.Denied && t.escalation:
		return []string{sandbox.DenialMarker(info.Mode), sandbox.EscalationHint("command")}
	case info.Denied:
		return []string{sandbox.DenialMarker(info.Mode)}
	default:
		return nil
	}
}

func orUnavailable(path string) string {
	if path == "" {
		return unavailable
	}
	return path
}

// TimeoutMarker is the line that says that a timeout ended the command.
func TimeoutMarker(ms int64) string { return fmt.Sprintf("[timed out after %dms]", ms) }

// ExitStatus is how a command ended: with a code, or by a signal. The zero
// value is success.
type ExitStatus struct {
	// Code is -1 if a signal ended it.
	Code int
	// Signal is the signal's name ("SIGKILL"), or empty.
	Signal string
}

// Marker is the line that says so.
func (s ExitStatus) Marker() string {
	if s.Signal != "" {
		return killedPrefix + s.Signal + "]"
	}
	return exitPrefix + strconv.Itoa(s.Code) + "]"
}

const (
	exitPrefix   = "[exit code: "
	killedPrefix = "[killed by signal: "
)

// ParseExitStatus reads the status from the last line of a rendered text; a
// text that does not end with one is that of a success. It is the inverse of
// [Tool.Render] as far as text can be: a command that succeeds and whose own
// last words look like a status is taken at its word.
func ParseExitStatus(text string) ExitStatus {
	text = strings.TrimSuffix(text, "\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	inner, ok := strings.CutSuffix(last, "]")
	if !ok {
		return ExitStatus{}
	}
	if signal, ok := strings.CutPrefix(inner, killedPrefix); ok && isSignal(signal) {
		return ExitStatus{Code: -1, Signal: signal}
	}
	if digits, ok := strings.CutPrefix(inner, exitPrefix); ok {
		if code, err := strconv.Atoi(digits); err == nil && strconv.Itoa(code) == digits {
			return ExitStatus{Code: code}
		}
	}
	return ExitStatus{}
}

// isSignal reports whether name looks like that of a signal: SIG and capitals,
// digits, plus or minus (SIGRTMIN+3).
func isSignal(name string) bool {
	rest, ok := strings.CutPrefix(name, "SIG")
	return ok && rest != "" && strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-") == ""
}

// page is text in which a marker always begins a line.
type page struct{ strings.Builder }

func (p *page) empty() bool { return p.Len() == 0 }

// text adds output as it is.
func (p *page) text(text string) { p.WriteString(text) }

// line adds a line of its own.
func (p *page) line(line string) {
	if p.Len() > 0 && !strings.HasSuffix(p.String(), "\n") {
		p.WriteByte('\n')
	}
	p.WriteString(line + "\n")
}

func (p *page) lines(lines ...string) {
	for _, line := range lines {
		p.line(line)
	}
}
