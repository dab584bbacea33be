package sandboxtest

import (
	"os"
	"runtime"
	"strings"
)

// system names the kernel and the architecture. A kernel's version counts as
// far as its second number: more would make the table of every machine differ.
func system() string {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return runtime.GOOS + " " + runtime.GOARCH
	}
	numbers := strings.SplitN(strings.TrimSpace(string(release)), ".", 3)
	return "Linux " + strings.Join(numbers[:min(2, len(numbers))], ".") + " " + runtime.GOARCH
}
