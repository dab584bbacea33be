package main

import (
	"errors"
	"testing"
)

func TestKernelsVerdict(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, tt := range []struct {
		out  string
		err  error
		fact string
		want error
	}{
		{"fetched\nok    6.1/amd64      80.0s  6.1.0, 6 jobs\nok    newest/arm64  120.0s  7.3, 6 jobs\n\n| kernel |\n", nil, "2 kernels", nil},
		{"ok    6.1/amd64      80.0s  6.1.0, 6 jobs\nFAIL  newest/arm64  120.0s  , 0 jobs\n", failed, "1 kernels", failed},
		{"", nil, "0 kernels", errNoKernel},
	} {
		if fact, err := kernelsVerdict(tt.out, tt.err); fact != tt.fact || !errors.Is(err, tt.want) {
			t.Errorf("%q: %s, %v", tt.out, fact, err)
		}
	}
}
