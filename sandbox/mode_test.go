package sandbox

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParseMode(t *testing.T) {
	for _, mode := range []Mode{ReadOnly, WorkspaceWrite, DangerFullAccess} {
		if got, err := ParseMode(string(mode)); got != mode || err != nil {
			t.Errorf("ParseMode(%q) = %q, %v", mode, got, err)
		}
	}
	for _, s := range []string{"", "readonly", "READ-ONLY", " read-only", "read-only\n"} {
		got, err := ParseMode(s)
		var invalid *InvalidPolicyError
		if got != "" || !errors.As(err, &invalid) || !errors.Is(err, ErrUnknownMode) || string(invalid.Mode) != s {
			t.Errorf("ParseMode(%q) = %q, %v", s, got, err)
		}
	}
}

func TestOnlyFullAccessDoesNotConfine(t *testing.T) {
	for mode, want := range map[Mode]bool{ReadOnly: true, WorkspaceWrite: true, DangerFullAccess: false, "": true, "x": true} {
		if mode.Confines() != want {
			t.Errorf("%q.Confines() = %v", mode, !want)
		}
	}
}

func TestWider(t *testing.T) {
	tests := map[Mode][]Mode{
		ReadOnly:         {WorkspaceWrite, DangerFullAccess},
		WorkspaceWrite:   {DangerFullAccess},
		DangerFullAccess: nil,
		"unknown":        nil,
	}
	for mode, want := range tests {
		if got := mode.Wider(); !slices.Equal(got, want) {
			t.Errorf("%q.Wider() = %v, want %v", mode, got, want)
		}
	}
	ReadOnly.Wider()[0] = "spoiled"
	if modes[1] != WorkspaceWrite {
		t.Error("a caller can change what is known about modes")
	}
}

func TestMarkers(t *testing.T) {
	tests := []struct{ got, want string }{
		{DenialMarker(ReadOnly), "[sandbox: file access denied under read-only mode]"},
		{EscalationHint("command"), "[sandbox: escalation available — retry this exact command once with sandbox_permissions (the narrowest wider mode that suffices) + justification; the approval prompt asks the user]"},
		{EscalationHint("operation"), "[sandbox: escalation available — retry this exact operation once with sandbox_permissions (the narrowest wider mode that suffices) + justification; the approval prompt asks the user]"},
		{RunnerFailedMarker(WorkspaceWrite), "[sandbox: the sandbox runner itself failed under workspace-write mode — the command did not run; this is a sandbox problem, not a command failure]"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
	}
}

func TestUnavailableError(t *testing.T) {
	cause := errors.New("cause")
	err := error(&UnavailableError{
		Mode:    ReadOnly,
		Reasons: []RunnerReason{{"bwrap", "not installed"}, {"landlock", "not enabled."}},
		Detail:  "bwrap: No permissions",
		Err:     cause,
	})
	if !errors.Is(err, ErrUnavailable) || !errors.Is(err, cause) || errors.Is(err, ErrFullAccess) {
		t.Errorf("errors.Is is wrong for %v", err)
	}
	var coded interface{ Code() string }
	if !errors.As(err, &coded) || coded.Code() != "SANDBOX_UNAVAILABLE" {
		t.Errorf("code of %v", err)
	}
	message := err.Error()
	for _, part := range []string{"read-only mode", "not run unconfined", "bwrap: not installed.", "landlock: not enabled.", remedy} {
		if !strings.Contains(message, part) {
			t.Errorf("%q lacks %q", message, part)
		}
	}
	if !strings.HasSuffix(message, " Runner failure: bwrap: No permissions") {
		t.Errorf("%q does not end with the detail", message)
	}
	if message := (&UnavailableError{Mode: ReadOnly}).Error(); strings.Contains(message, "Runner failure") {
		t.Errorf("%q speaks of a failure that is not known", message)
	}
}

func TestGapCovers(t *testing.T) {
	outside := Gap{Effect: EffectMode, Place: PlaceOutside}
	for place, want := range map[Place]bool{
		PlaceOutside: true, PlaceBeside: true, PlaceHome: true,
		PlaceWorkspace: false, PlaceTemp: false, PlaceDev: false, PlaceProc: false,
	} {
		if outside.Covers(EffectMode, place) != want {
			t.Errorf("a gap outside covers %s: %v", place, !want)
		}
	}
	if outside.Covers(EffectOwner, PlaceBeside) {
		t.Error("a gap covers another effect")
	}
	dev := Gap{Effect: EffectMode, Place: PlaceDev}
	if !dev.Covers(EffectMode, PlaceDev) || dev.Covers(EffectMode, PlaceHome) {
		t.Error("a gap in one place covers another, or not its own")
	}
}

func TestEnforcementOf(t *testing.T) {
	if EnforcementOf(nil) != Full || EnforcementOf([]Gap{{}}) != Partial {
		t.Error("enforcement does not follow from the gaps")
	}
}

func TestStartStateInWords(t *testing.T) {
	for state, want := range map[StartState]string{
		StartUnknown: "unknown", CommandNotStarted: "command not started", CommandStarted: "command started", 99: "unknown",
	} {
		if state.String() != want {
			t.Errorf("%d: %q", state, state)
		}
	}
}
