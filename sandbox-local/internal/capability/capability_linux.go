package capability

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// numbers is one more than the highest capability that a [Set] can hold;
// prctl(2) refuses those that the kernel does not know.
const numbers = 64

func held() (Set, error) {
	data, err := get()
	if err != nil {
		return 0, err
	}
	return Set(data[0].Effective) | Set(data[1].Effective)<<32, nil
}

func drop() error {
	data, err := get()
	if err != nil {
		return err
	}
	permitted := Set(data[0].Permitted) | Set(data[1].Permitted)<<32
	if permitted != 0 {
		if err := dropBounding(); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clearing the ambient capabilities: %w", err)
	}
	return set(permitted & Kept())
}

// dropBounding makes sure that an execve(2) as user 0 regains only what is
// kept.
func dropBounding() error {
	for number := range uintptr(numbers) {
		if Kept()&(1<<number) != 0 {
			continue
		}
		bounded, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, number, 0, 0, 0)
		if err == unix.EINVAL {
			return nil // past the last capability that the kernel knows
		}
		if err != nil {
			return fmt.Errorf("reading the bounding set: %w", err)
		}
		if bounded == 0 {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, number, 0, 0, 0); err != nil {
			return fmt.Errorf("dropping capability %d from the bounding set: %w", number, err)
		}
	}
	return nil
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
// inheritable one.
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
