package emulator

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestArgs(t *testing.T) {
	for arch, want := range map[string][]string{
		"amd64": {"qemu-system-x86_64", "console=ttyS0 no_timer_check quiet panic=-1 mitigations=off", "file,id=report,path=/a,,b/report", "chardev:report", "tcg"},
		"arm64": {"qemu-system-aarch64", "console=ttyAMA0 quiet panic=-1 mitigations=off", "file,id=console,path=/a,,b/console", "pci-serial,chardev=report"},
	} {
		args, err := Machine{Arch: arch, Kernel: "k", Initrd: "i", Dir: "/a,b"}.args()
		if err != nil {
			t.Fatal(err)
		}
		for _, arg := range want {
			if !slices.Contains(args, arg) {
				t.Errorf("%s: %q is missing in %q", arch, arg, args)
			}
		}
	}
}

func TestUnknownArch(t *testing.T) {
	_, programErr := Program("pdp11")
	_, portErr := ReportPort("pdp11")
	for _, err := range []error{programErr, portErr, Machine{Arch: "pdp11"}.Run(t.Context())} {
		var unknown *UnknownArchError
		if !errors.As(err, &unknown) || unknown.Arch != "pdp11" {
			t.Errorf("%v", err)
		}
	}
}

// TestRunReportsTheEmulatorsFailure has a program in QEMU's place that fails.
func TestRunReportsTheEmulatorsFailure(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	fake := "#!/bin/sh\necho no such machine >&2\nexit 3\n"
	if err := os.WriteFile(filepath.Join(dir, "qemu-system-x86_64"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	err := Machine{Arch: "amd64", Kernel: "vmlinuz", Dir: dir}.Run(t.Context())
	var failed *Error
	if !errors.As(err, &failed) || failed.Output != "no such machine\n" {
		t.Errorf("%v", err)
	}
}
