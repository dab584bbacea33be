// Package emulator boots a kernel with an initial file system in QEMU, by
// software emulation alone, so that it runs wherever QEMU does.
package emulator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Machine is one machine to boot. It has one processor, no disk and no network.
type Machine struct {
	// Arch is GOARCH's name for it.
	Arch string
	// Kernel and Initrd are files of the host.
	Kernel, Initrd string
	// Dir is where the machine's two serial ports are written to.
	Dir string
}

// options of the kernel: a panic is the end, and no time is spent against
// attacks on an emulated processor.
const options = "quiet panic=-1 mitigations=off"

// memory is in MiB.
const memory = "2048"

// killDelay is how long QEMU may take to end once it was told to.
const killDelay = 5 * time.Second

// model is how an architecture is emulated.
type model struct {
	program string
	machine []string
	console string // the kernel's name for the first serial port, and options
	port    string // the guest's device for the second one
	second  []string
}

// models by GOARCH. The second port of the ARM machine is on its PCI bus,
// since the one that it has built in belongs to the firmware. The PC's kernel
// would check its timer against the clock of a host that may be busy.
//
// The processors lack what costs time to emulate and changes nothing for a
// guest: a fifth level of page tables, and string instructions that a kernel
// prefers to its own loops and that are emulated byte by byte; signed pointers,
// and vector registers to save at each switch.
var models = map[string]model{
	"amd64": {
		program: "qemu-system-x86_64",
		machine: []string{"-machine", "q35", "-cpu", "max,la57=off,erms=off,fsrm=off"},
		console: "ttyS0 no_timer_check",
		port:    "/dev/ttyS1",
		second:  []string{"-serial", "chardev:report"},
	},
	"arm64": {
		program: "qemu-system-aarch64",
		machine: []string{"-machine", "virt", "-cpu", "max,pauth=off,sve=off,sme=off"},
		console: "ttyAMA0",
		port:    "/dev/ttyS0",
		second:  []string{"-device", "pci-serial,chardev=report"},
	},
}

// UnknownArchError is an architecture that cannot be emulated here.
type UnknownArchError struct{ Arch string }

// Error names the architecture.
func (e *UnknownArchError) Error() string {
	return fmt.Sprintf("emulator: no machine for architecture %q", e.Arch)
}

// Program returns the name of the QEMU program for an architecture.
func Program(arch string) (string, error) {
	m, known := models[arch]
	if !known {
		return "", &UnknownArchError{arch}
	}
	return m.program, nil
}

// ReportPort returns the guest's device whose output ends up in
// [Machine.ReportFile].
func ReportPort(arch string) (string, error) {
	m, known := models[arch]
	if !known {
		return "", &UnknownArchError{arch}
	}
	return m.port, nil
}

// ConsoleFile is where the kernel's console goes.
func (m Machine) ConsoleFile() string { return filepath.Join(m.Dir, "console") }

// ReportFile is where the guest's own report goes.
func (m Machine) ReportFile() string { return filepath.Join(m.Dir, "report") }

// Error is an emulator that did not end as it should have: by the guest's
// switching the machine off, or by the reboot of a kernel that panicked.
type Error struct {
	Machine Machine
	// Output is what QEMU itself printed.
	Output string
	Err    error
}

// Error gives the kernel, the reason and the output.
func (e *Error) Error() string {
	return fmt.Sprintf("emulating %s: %v\n%s", e.Machine.Kernel, e.Err, strings.TrimRight(e.Output, "\n"))
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Run boots the machine and waits until it is off, or ctx ends. What the guest
// achieved is in its report, which may be incomplete even when Run returns nil:
// a kernel that panics switches the machine off, too.
func (m Machine) Run(ctx context.Context) error {
	args, err := m.args()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.WaitDelay = killDelay
	cmd.Env = append(os.Environ(), "TMPDIR="+m.Dir)
	output, err := cmd.CombinedOutput()
	if ctxErr := ctx.Err(); ctxErr != nil {
		err = errors.Join(ctxErr, err)
	}
	if err != nil {
		return &Error{m, string(output), err}
	}
	return nil
}

func (m Machine) args() ([]string, error) {
	model, known := models[m.Arch]
	if !known {
		return nil, &UnknownArchError{m.Arch}
	}
	args := append([]string{model.program, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"}, model.machine...)
	args = append(args,
		"-accel", "tcg", "-smp", "1", "-m", memory,
		"-kernel", m.Kernel, "-initrd", m.Initrd,
		"-append", "console="+model.console+" "+options,
		"-chardev", "file,id=console,path="+escape(m.ConsoleFile()), "-serial", "chardev:console",
		"-chardev", "file,id=report,path="+escape(m.ReportFile()))
	return append(args, model.second...), nil
}

// escape protects a path in an option of QEMU, where a comma ends a value.
func escape(path string) string { return strings.ReplaceAll(path, ",", ",,") }
