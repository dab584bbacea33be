package subprocess

import (
	"slices"
	"strings"
)

// ManagedPrefix begins the name of every variable that the product itself
// hands to a command. It matches exactly, in upper case.
const ManagedPrefix = "DSH_"

// Environ composes a process's environment: what is inherited ([InheritedFrom]),
// without the names in unset; then env; then managed, which nobody can
// displace. An entry of env that begins with [ManagedPrefix] is dropped. Nil
// maps and slices mean nothing. The result is sorted by name and has each name
// once.
func Environ(inherited []string, env map[string]string, unset []string, managed map[string]string) []string {
	return InheritedFrom(inherited).With(env, unset, managed)
}

// Inherited is what processes inherit of an environment. It is immutable, and
// can be kept as long as the environment stays the same: to look at every name
// takes longer than the rest of composing. The zero value is empty.
type Inherited struct {
	variables []variable // sorted by name, each once
}

// InheritedFrom picks what is inherited of an environment: everything but
// credential-shaped names ([IsCredential]) and names that begin with
// [ManagedPrefix]. Of a name that is there twice the last entry counts.
// Entries without a "=" or a name are dropped.
func InheritedFrom(environ []string) Inherited {
	all := make([]variable, 0, len(environ))
	for _, entry := range environ {
		name, _, ok := strings.Cut(entry, "=")
		if ok && name != "" && !strings.HasPrefix(name, ManagedPrefix) && !IsCredential(name) {
			all = append(all, variable{name, entry, len(all)})
		}
	}
	return Inherited{lastOfEach(all)}
}

// With composes an environment as [Environ] does.
func (i Inherited) With(env map[string]string, unset []string, managed map[string]string) []string {
	set := make([]variable, 0, len(env)+len(managed))
	for name, value := range env {
		if !strings.HasPrefix(name, ManagedPrefix) {
			set = append(set, variable{name, name + "=" + value, len(set)})
		}
	}
	for name, value := range managed {
		set = append(set, variable{name, name + "=" + value, len(set)})
	}
	set = lastOfEach(set)
	entries := make([]string, 0, len(i.variables)+len(set))
	for _, inherited := range i.variables {
		for len(set) > 0 && set[0].name < inherited.name {
			entries = append(entries, set[0].entry)
			set = set[1:]
		}
		displaced := len(set) > 0 && set[0].name == inherited.name
		if !displaced && !slices.Contains(unset, inherited.name) {
			entries = append(entries, inherited.entry)
		}
	}
	for _, rest := range set {
		entries = append(entries, rest.entry)
	}
	return entries
}

// variable is an entry that competes with others of its name.
type variable struct {
	name, entry string
	rank        int // the highest of a name wins
}

// lastOfEach sorts variables by name and keeps the winner of each, in place.
func lastOfEach(all []variable) []variable {
	slices.SortFunc(all, func(a, b variable) int {
		if c := strings.Compare(a.name, b.name); c != 0 {
			return c
		}
		return b.rank - a.rank
	})
	return slices.CompactFunc(all, func(a, b variable) bool { return a.name == b.name })
}
