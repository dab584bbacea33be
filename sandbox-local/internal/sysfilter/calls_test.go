package sysfilter

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestNumbersAreTheKernels compares the table with the numbers that
// golang.org/x/sys takes from the kernel's headers.
func TestNumbersAreTheKernels(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Skipf("the source of golang.org/x/sys is not at hand: %v", err)
	}
	dir := filepath.Join(string(bytes.TrimSpace(out)), "unix")
	table := append([]call{opaqueOpen, ioctl, mqOpen}, append(allCalls, absent...)...)
	for _, o := range opening {
		table = append(table, o.call)
	}
	for file, number := range map[string]func(call) int32{
		"amd64": abiAMD64.number, "386": abiI386.number, "arm64": abiARM64.number, "arm": abiARM.number,
	} {
		kernels := numbers(t, filepath.Join(dir, "zsysnum_linux_"+file+".go"))
		for _, c := range table {
			want, ok := kernels[c.name]
			if !ok {
				want = none
			}
			if got := number(c); got != want {
				t.Errorf("%s on %s: %d, the kernel has %d", c.name, file, got, want)
			}
		}
	}
}

var numberLine = regexp.MustCompile(`(?m)^\s*SYS_(\w+)\s*=\s*(\d+)`)

func numbers(t *testing.T, path string) map[string]int32 {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]int32)
	for _, match := range numberLine.FindAllStringSubmatch(string(source), -1) {
		number, err := strconv.ParseInt(match[2], 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		found[strings.ToLower(match[1])] = int32(number)
	}
	if len(found) < 300 {
		t.Fatalf("%s: %d numbers", path, len(found))
	}
	return found
}
