package landlock

import (
	"os"

	golandlock "github.com/landlock-lsm/go-landlock/landlock"
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
// mean that Landlock is not there: not built in, and not switched on.
func unsupported(err error) error {
	if err == unix.ENOSYS || err == unix.EOPNOTSUPP {
		return ErrUnsupported
	}
	return err
}

// known returns the write rights that the ABI knows.
func (k Kernel) known() golandlock.AccessFSSet {
	rights := golandlock.AccessFSSet(rightsWrite)
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
	fd, flags, err := k.ruleset(grants)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return &Error{Step: "giving up new privileges", Err: err}
	}
	if err := ll.LandlockRestrictSelf(fd, flags); err != nil {
		return &Error{Step: "restricting the thread", Err: err}
	}
	return nil
}

// ruleset returns a descriptor that the caller closes.
func (k Kernel) ruleset(grants Grants) (fd int, flags uint32, err error) {
	config := golandlock.Config{HandledAccessFS: k.known()}
	if len(grants.Readable) > 0 {
		config.HandledAccessFS |= rightsRead
	}
	if k.ScopesSignals {
		config.Scoped = ll.ScopeSignal
	}
	rules, err := grants.rules(config.HandledAccessFS)
	if err != nil {
		return -1, 0, &Error{Step: "looking up what may be accessed", Err: err}
	}
	fd, flags, err = config.NewRulesetFD(rules...)
	if err != nil {
		return -1, 0, &Error{Step: "building the ruleset", Err: err}
	}
	return fd, flags, nil
}

// rules grants no more than what is handled.
func (g Grants) rules(handled golandlock.AccessFSSet) ([]golandlock.Rule, error) {
	var rules []golandlock.Rule
	add := func(rights golandlock.AccessFSSet, paths []string) error {
		for _, path := range paths {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			granted := rights & handled
			if !info.IsDir() {
				granted &= rightsFile
			}
			if granted != 0 {
				rules = append(rules, golandlock.PathAccess(granted, path))
			}
		}
		return nil
	}
	if err := add(rightsRead|rightsWrite&^rightsDevices, g.Writable); err != nil {
		return nil, err
	}
	if err := add(ll.AccessFSReadFile|ll.AccessFSWriteFile|ll.AccessFSIoctlDev, g.Devices); err != nil {
		return nil, err
	}
	if err := add(rightsRead, g.Readable); err != nil {
		return nil, err
	}
	return rules, nil
}
