package capability

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// numbers is one more than the highest capability that a [Set] can hold;
// prctl(2) refuses those that the kernel does not know.
const numbers = 64

// setPCap is CAP_SETPCAP, which dropping from the bounding set needs.
const setPCap Set = 1 << unix.CAP_SETPCAP

func held() (Set, error) {
	data, err := get()
	if err != nil {
		return 0, err
	}
	return effective(data), nil
}

func effective(data [2]unix.CapUserData) Set {
	return Set(data[0].Effective) | Set(data[1].Effective)<<32
}

func drop() error {
	data, err := get()
	if err != nil {
		return err
	}
	permitted := Set(data[0].Permitted) | Set(data[1].Permitted)<<32
	if permitted != 0 {
		if err := dropBounding(effective(data)); err != nil {
			return err
		}
	}
	return set(permitted & Kept())
}

// dropBounding makes sure that an execve(2) as user 0 regains only what is
// kept.
//
// Dropping a capability costs ten times as much as asking whether it is there;
// in a container most are not. One that is in effect is dropped unasked, for it
// nearly always is, and a full root has nothing to ask for.
func dropBounding(effective Set) error {
	if effective&setPCap == 0 {
		effective = 0 // nothing can be dropped: what is to go must not be there
	}
	drop := ^Kept()
	for number := range uintptr(numbers) {
		if drop&(1<<number) == 0 {
			continue
		}
		if effective&(1<<number) == 0 {
			switch present, err := bounded(number); {
			case err == unix.EINVAL:
				return nil // past the last capability that the kernel knows
			case err != nil:
				return fmt.Errorf("reading the bounding set: %w", err)
			case !present:
				continue
			}
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, number, 0, 0, 0); err != nil {
			return fmt.Errorf("dropping capability %d from the bounding set: %w", number, err)
		}
	}
	return nil
}

// bounded tells whether the bounding set holds a capability.
func bounded(number uintptr) (bool, error) {
	held, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, number, 0, 0, 0)
	return held != 0, err
}

func header() *unix.CapUserHeader {
	return &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3} // process 0: the calling thread
}

func get() (data [2]unix.CapUserData, err error) {
	if err := unix.Capget(header(), &data[0]); err != nil {
		return data, fmt.Errorf("reading the capabilities: %w", err)
	}
	return data, nil
}

// set makes capabilities the permitted and effective set, and empties the
// inheritable one and with it the ambient one, in which nothing can be that is
// not inheritable (capabilities(7)).
func set(capabilities Set) error {
	data := [2]unix.CapUserData{
		{Effective: uint32(capabilities), Permitted: uint32(capabilities)},
		{Effective: uint32(capabilities >> 32), Permitted: uint32(capabilities >> 32)},
	}
	if err := unix.Capset(header(), &data[0]); err != nil {
		return fmt.Errorf("setting the capabilities: %w", err)
	}
	return nil
}
