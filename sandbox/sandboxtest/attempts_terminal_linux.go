package sandboxtest

import (
	"fmt"
	"strconv"
	"syscall"
	"unsafe"

	"github.com/dsh-go/dsh/sandbox"
)

// Commands of ioctl(2) on a terminal, from ioctl_tty(2).
const (
	ttyGetPTN           uint32 = 0x80045430 // TIOCGPTN
	ttySetLock                 = 0x40045431 // TIOCSPTLCK
	ttySimulateInput           = 0x5412     // TIOCSTI
	ttySetSize                 = 0x5414     // TIOCSWINSZ
	ttyGetSize                 = 0x5413     // TIOCGWINSZ
	ttyInputQueue              = 0x541b     // TIOCINQ
	ttySet                     = 0x5402     // TCSETS
	ttyGet                     = 0x5401     // TCGETS
	localFlags, ttyEcho        = 12, 8      // offset of c_lflag in struct termios, and ECHO
)

// terminalAttempts control a device: a terminal that the host has open.
func terminalAttempts() []attempt {
	control := func(name string, do func(fd int) error) attempt {
		return attempt{
			effect: sandbox.EffectDeviceControl, name: name, needed: mayWork,
			places: []sandbox.Place{sandbox.PlaceDev}, targets: []string{ptmx},
			prepare: openTerminal, observe: observeTerminal,
			do: func(v victim) error { return withFD(v.Prefix, syscall.O_RDONLY, do) },
		}
	}
	write := control("write to a terminal", nil)
	write.effect = sandbox.EffectOverwrite
	write.do = func(v victim) error { return put(v.Prefix, syscall.O_WRONLY) }
	return []attempt{
		write,
		control("TIOCSWINSZ", func(fd int) error {
			size := [4]uint16{7, 7}
			return errorOf(invoke(sysIoctl, fd, ttySetSize, unsafe.Pointer(&size)))
		}),
		control("TCSETS", func(fd int) error {
			var settings [64]byte
			if _, err := invoke(sysIoctl, fd, ttyGet, unsafe.Pointer(&settings)); err != nil {
				return err
			}
			settings[localFlags] ^= ttyEcho
			return errorOf(invoke(sysIoctl, fd, ttySet, unsafe.Pointer(&settings)))
		}),
		control("TIOCSTI", func(fd int) error {
			key := [1]byte{'\n'}
			return errorOf(invoke(sysIoctl, fd, ttySimulateInput, unsafe.Pointer(&key)))
		}),
	}
}

// ptmx makes pseudo-terminals.
const ptmx = "/dev/ptmx"

// openTerminal makes a pseudo-terminal, whose two ends the host keeps open, the
// target.
func openTerminal(g *ground, t *trial) error {
	master, err := openHigh(g, ptmx, syscall.O_RDWR|syscall.O_NOCTTY, syscall.F_DUPFD_CLOEXEC)
	if err != nil {
		return err
	}
	var unlocked int32
	if _, err := invoke(sysIoctl, master, ttySetLock, unsafe.Pointer(&unlocked)); err != nil {
		return err
	}
	var number uint32
	if _, err := invoke(sysIoctl, master, ttyGetPTN, unsafe.Pointer(&number)); err != nil {
		return err
	}
	t.Prefix, t.Master = "/dev/pts/"+strconv.Itoa(int(number)), master
	t.FD, err = openHigh(g, t.Prefix, syscall.O_RDWR|syscall.O_NOCTTY, syscall.F_DUPFD_CLOEXEC)
	return err
}

// observeTerminal tells size, settings and what waits at either end.
func observeTerminal(_ *ground, t *trial) string {
	var (
		size             [4]uint16
		settings         [64]byte
		typed, displayed int32
	)
	for _, query := range []struct {
		fd, command int
		into        unsafe.Pointer
	}{
		{t.FD, ttyGetSize, unsafe.Pointer(&size)},
		{t.FD, ttyGet, unsafe.Pointer(&settings)},
		{t.FD, ttyInputQueue, unsafe.Pointer(&typed)},
		{t.Master, ttyInputQueue, unsafe.Pointer(&displayed)},
	} {
		if _, err := invoke(sysIoctl, query.fd, query.command, query.into); err != nil {
			return err.Error()
		}
	}
	return fmt.Sprintf("size %v, settings %x, %d typed, %d displayed", size, settings[:36], typed, displayed)
}
