//go:build linux || darwin

package subprocesslocal

import (
	"errors"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
)

func TestNewNamesWhatIsWrong(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		field  string
		want   error
	}{
		{"relative directory", Config{SpillDirs: []string{"/a", "b"}}, "SpillDirs", subprocess.ErrNotAbsolute},
		{"NUL in a directory", Config{SpillDirs: []string{"/a\x00"}}, "SpillDirs", subprocess.ErrNUL},
		{"negative age", Config{SpillMaxAge: -time.Second}, "SpillMaxAge", subprocess.ErrNegative},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			service, err := New(tt.config)
			var wrong *ConfigError
			if service != nil || !errors.As(err, &wrong) || wrong.Field != tt.field || !errors.Is(err, tt.want) {
				t.Errorf("New = %v, %v", service, err)
			}
		})
	}
	if _, err := New(Config{}); err != nil {
		t.Errorf("the zero configuration: %v", err)
	}
}

func TestConfigIsKeptFromLaterChanges(t *testing.T) {
	dirs := []string{"/a"}
	service, err := New(Config{SpillDirs: dirs})
	if err != nil {
		t.Fatal(err)
	}
	dirs[0] = "b"
	if service.config.SpillDirs[0] != "/a" {
		t.Error("the caller's slice is the service's")
	}
}
