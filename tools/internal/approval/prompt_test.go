package approval

import (
	"strings"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

func TestPrompt(t *testing.T) {
	got := Prompt(sandbox.EscalationRequest{
		Mode:          sandbox.WorkspaceWrite,
		Policy:        sandbox.Policy{Mode: sandbox.ReadOnly, WorkspaceRoot: "/work"},
		Caller:        "agent 1.0",
		Subject:       "make\nmake install",
		Justification: "the user asked for it",
		Dir:           "/work/sub",
	})
	const want = `Allow workspace-write for this one command?

    command:    make\nmake install
    mode asked: workspace-write (may change files beneath /work and temporary ones)
    mode now:   read-only (changes no file)
    directory:  /work/sub
    asked by:   agent 1.0

The command in full:

    | make
    | make install

The reason that is given:

    | the user asked for it
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestNothingForgesThePrompt has every text that others wrote try to write
// lines of the prompt, to hide itself, or to turn around.
func TestNothingForgesThePrompt(t *testing.T) {
	const forged = "x\n\n    mode asked: read-only\r    asked by: you\v\f\x1b[2J\x1b[8m\u2028mode\u2029\u202e\u200b\u0085<!-- hidden -->"
	honest := sandbox.EscalationRequest{
		Mode: sandbox.DangerFullAccess, Policy: sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: "/w"},
		Caller: "a", Subject: "b", Justification: "c", Dir: "/w",
	}
	for name, req := range map[string]func(*sandbox.EscalationRequest){
		"caller":    func(r *sandbox.EscalationRequest) { r.Caller = forged },
		"command":   func(r *sandbox.EscalationRequest) { r.Subject = forged },
		"reason":    func(r *sandbox.EscalationRequest) { r.Justification = forged },
		"directory": func(r *sandbox.EscalationRequest) { r.Dir = forged },
		"root":      func(r *sandbox.EscalationRequest) { r.Policy.WorkspaceRoot = forged },
	} {
		hostile := honest
		req(&hostile)
		text := Prompt(hostile)
		if strings.ContainsAny(text, "\r\v\f\x1b\u2028\u2029\u202e\u200b\u0085") {
			t.Errorf("%s: %q", name, text)
		}
		facts := 0
		for line := range strings.Lines(text) {
			if strings.HasPrefix(strings.TrimSpace(line), "mode asked:") {
				facts++
			}
		}
		if facts != 1 || !strings.Contains(text, "\n    mode asked: danger-full-access (not confined at all)\n") {
			t.Errorf("%s: %d lines say what is asked:\n%s", name, facts, text)
		}
	}
}

func TestTheCommandIsShownInFullAndTheRestIsNot(t *testing.T) {
	long := strings.Repeat("y", 50_000)
	text := Prompt(sandbox.EscalationRequest{Mode: sandbox.DangerFullAccess, Caller: long, Subject: long, Justification: long})
	if strings.Count(text, long) != 1 || len(text) > len(long)+3000 {
		t.Errorf("%d bytes", len(text))
	}
}

// A shell takes each of these for a letter, and a user sees nothing.
func TestBlankLettersAreVisible(t *testing.T) {
	for _, r := range "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe0f\uffa0\U000e0100" {
		if got := Visible("a" + string(r) + "b"); len(got) < len(`a\u0000b`) || strings.ContainsRune(got, r) {
			t.Errorf("%U: %q", r, got)
		}
	}
	for _, text := range []string{"é e\u0301", "日本語", "א", "🙂"} {
		if got := Visible(text); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// The rest of a command that blanks push out of sight is announced.
func TestPreview(t *testing.T) {
	for command, want := range map[string]string{
		"ls":                    "ls",
		"12345":                 "12345",
		"ls   ; evil":           "ls   … (characters left out: 6)",
		"日本語日本語":                "日本語日本… (characters left out: 1)",
		"a\nb\x1b":              `a\nb\x1b`,
		"\x1b\x1b\x1b\x1b\x1b!": `\x1b\x1b\x1b\x1b\x1b… (characters left out: 1)`,
	} {
		if got := Preview(command, 5); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}
