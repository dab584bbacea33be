package main

import (
	"errors"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

func TestCheckRefusal(t *testing.T) {
	reasons := []sandbox.RunnerReason{{Runner: "bwrap", Reason: "not found on PATH"}, {Runner: "landlock", Reason: "the kernel has none"}}
	for _, test := range []struct {
		name    string
		refusal error
		ok      bool
	}{
		{"a refusal that says all", &sandbox.UnavailableError{Mode: sandbox.ReadOnly, Reasons: reasons}, true},
		{"another mode", &sandbox.UnavailableError{Mode: sandbox.WorkspaceWrite, Reasons: reasons}, false},
		{"a runner without a reason", &sandbox.UnavailableError{Mode: sandbox.ReadOnly, Reasons: reasons[:1]}, false},
		{"another error", errors.New("read-only not run unconfined bwrap: landlock: Install bubblewrap"), false},
		{"no error", nil, false},
	} {
		if err := checkRefusal(test.refusal, sandbox.ReadOnly); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
