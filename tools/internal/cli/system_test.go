package cli

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckSystem(t *testing.T) {
	for _, system := range []string{"linux", "darwin"} {
		if err := CheckSystem(system); err != nil {
			t.Errorf("%s: %v", system, err)
		}
	}
	for system, remedy := range map[string]string{"windows": "inside WSL2", "openbsd": "on Linux or macOS"} {
		err := CheckSystem(system)
		var unsupported *SystemError
		if !errors.As(err, &unsupported) || !strings.HasPrefix(err.Error(), system+" has neither") || !strings.Contains(err.Error(), remedy) {
			t.Errorf("%s: %v", system, err)
		}
	}
}
