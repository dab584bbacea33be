package landlock

import (
	"os"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// The rights that the kernel knows, by what they are about.
const (
	rightsRead    = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSReadDir
	rightsDevices = ll.AccessFSMakeChar | ll.AccessFSMakeBlock
	rightsWrite   = ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev | ll.AccessFSRefer |
		ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg |
		ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym | rightsDevices
	// rightsFile are those that a rule about a non-directory may hold.
	rightsFile = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate |
		ll.AccessFSIoctlDev
)

// erratumSignals is the bit of erratum 2: a scoped thread could not signal
// other threads of its own process.
const erratumSignals = 1 << 1

func detect() (Kernel, error) {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		return Kernel{}, &Error{Step: "asking for the ABI version", Err: unsupported(err)}
	}
	kernel := Kernel{ABI: abi}
	if abi >= abiScopes {
		errata, err := ll.LandlockGetErrata() // EINVAL: a kernel that knows of no errata has fixed none
		kernel.ScopesSignals = err == nil && errata&erratumSignals != 0
	}
	return kernel, nil
}

// unsupported recognises the two errors of landlock_create_ruleset(2) that
// mean that Landlock is not there.
func unsupported(err error) error {
	switch err {
	case unix.ENOSYS:
		return ErrUnsupported
	case unix.EOPNOTSUPP:
		return ErrDisabled
	default:
		return err
	}
}

// known returns the write rights that the ABI knows.
func (k Kernel) known() uint64 {
	rights := uint64(rightsWrite)
	if k.ABI < ABIRefer {
		rights &^= ll.AccessFSRefer
	}
	if k.ABI < ABITruncate {
		rights &^= ll.AccessFSTruncate
	}
	if k.ABI < ABIDeviceIoctls {
		rights &^= ll.AccessFSIoctlDev
	}
	return rights
}

func (k Kernel) enforce(grants Grants) error {
	fd, err := k.ruleset(grants)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return &Error{Step: "giving up new privileges", Err: err}
	}
	if err := ll.LandlockRestrictSelf(fd, 0); err != nil {
		return &Error{Step: "restricting the thread", Err: err}
	}
	return nil
}

// ruleset returns a descriptor that the caller closes.
func (k Kernel) ruleset(grants Grants) (fd int, err error) {
	attr := ll.RulesetAttr{HandledAccessFS: k.known()}
	if len(grants.Readable) > 0 {
		attr.HandledAccessFS |= rightsRead
	}
	if k.ScopesSignals {
		attr.Scoped = ll.ScopeSignal
	}
	fd, err = ll.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return -1, &Error{Step: "building the ruleset", Err: err}
	}
	if err := grants.addTo(fd, attr.HandledAccessFS); err != nil {
		unix.Close(fd)
		return -1, &Error{Step: "granting access", Err: err}
	}
	return fd, nil
}

// addTo adds a rule per path, which grants no more than what is handled.
func (g Grants) addTo(ruleset int, handled uint64) error {
	var exact uint64
	if g.Exact {
		exact = unix.RESOLVE_NO_SYMLINKS
	}
	for _, part := range []struct {
		paths   []string
		rights  uint64
		resolve uint64
	}{
		{g.Writable, rightsRead | rightsWrite&^rightsDevices, exact},
		{g.Devices, ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSIoctlDev, 0},
		{g.Readable, rightsRead, 0},
	} {
		for _, path := range part.paths {
			if err := grant(ruleset, path, part.rights&handled, part.resolve); err != nil {
				return &os.PathError{Op: "grant", Path: path, Err: err}
			}
		}
	}
	return nil
}

// grant opens the path once, so that the rule is about what was looked at.
func grant(ruleset int, path string, rights, resolve uint64) error {
	fd, err := openPath(path, resolve)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= rightsFile
	}
	if rights == 0 {
		return nil // the kernel refuses a rule that grants nothing
	}
	return ll.LandlockAddPathBeneathRule(ruleset, &ll.PathBeneathAttr{AllowedAccess: rights, ParentFd: fd}, 0)
}

// openPath opens a path for a rule. It takes the newer call only where that is
// needed: our own filter on an older kernel does not have it, and a launcher
// may run within another one.
func openPath(path string, resolve uint64) (int, error) {
	const flags = unix.O_PATH | unix.O_CLOEXEC
	if resolve == 0 {
		return unix.Open(path, flags, 0)
	}
	return unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: flags, Resolve: resolve})
}
