// Package capability drops the capabilities with which a privileged command
// could leave its file sandbox: mounting, opening by handle, making device
// nodes, loading modules, writing kernel settings and the like
// (capabilities(7)).
//
// What is kept is what a privileged user needs to work on files of other
// owners inside its workspace.
package capability

import "errors"

// ErrUnsupported means that the system has no capabilities to drop.
var ErrUnsupported = errors.New("capability: not supported on this system")

// Set is a set of capabilities, one bit per number.
type Set uint64

// kept are the capabilities that a confined command may have, with their
// numbers from linux/capability.h.
var kept = []struct {
	number uint
	name   string
}{
	{0, "CAP_CHOWN"},
	{1, "CAP_DAC_OVERRIDE"},
	{3, "CAP_FOWNER"},
	{4, "CAP_FSETID"},
	{5, "CAP_KILL"},
	{6, "CAP_SETGID"},
	{7, "CAP_SETUID"},
	{10, "CAP_NET_BIND_SERVICE"},
	{13, "CAP_NET_RAW"},
}

// Kept returns the set that [Drop] keeps.
func Kept() Set {
	var set Set
	for _, c := range kept {
		set |= 1 << c.number
	}
	return set
}

// KeptNames returns the names of those kept capabilities that are in held.
func KeptNames(held Set) []string {
	var names []string
	for _, c := range kept {
		if held&(1<<c.number) != 0 {
			names = append(names, c.name)
		}
	}
	return names
}

// Held returns the effective capabilities of the calling thread.
func Held() (Set, error) { return held() }

// Drop takes every capability but the kept ones from the calling thread for
// good, the bounding set included, so that no program started from it regains
// one. Without privileges there is nothing to drop, and it succeeds.
func Drop() error { return drop() }
