package sysfilter

import (
	"fmt"
	"maps"
	"slices"
	"syscall"
	"testing"
)

// model says in plain words what the program must decide about a call. It has
// the tables in common with the program, and none of its structure.
func model(offered []abi, options Options, d data) uint32 {
	refusal, lacking := fails(options.Errno), fails(syscall.ENOSYS)
	at := slices.IndexFunc(offered, func(a abi) bool { return a.audit == d.arch })
	if at < 0 {
		return lacking
	}
	entered := offered[at]
	if entered.limit != 0 && d.number >= entered.limit {
		return lacking
	}
	is := func(c call) bool { return entered.number(c) != none && uint32(entered.number(c)) == d.number }
	switch {
	case slices.ContainsFunc(timing, is):
		return refusal
	case options.TimesOnly:
		return allow
	case slices.ContainsFunc(refused, is):
		return refusal
	case slices.ContainsFunc(absent, is):
		return lacking
	case is(mqOpen) && d.args[1]&openCreate != 0:
		return refusal
	case is(ioctl) && modelIoctl(uint32(d.args[1])):
		return refusal
	case options.Truncation && slices.ContainsFunc(truncating, is):
		return refusal
	case options.Truncation && is(opaqueOpen):
		return lacking
	}
	for _, o := range opening {
		flags := d.args[o.flags]
		if mode := flags & openAccess; options.Truncation && is(o.call) && flags&openTrunc != 0 && mode != 1 && mode != 2 {
			return refusal
		}
	}
	return allow
}

func modelIoctl(command uint32) (changes bool) {
	direction, kind := command>>directionOffset, command>>typeOffset&typeMask
	switch {
	case slices.Contains(setters, command):
		return true
	case slices.Contains(getters, command):
		return false
	default:
		return slices.Contains(fileSystemTypes, kind) && direction != directionRead
	}
}

var everyOption = []Options{
	{Errno: syscall.EACCES},
	{Errno: syscall.EACCES, Truncation: true},
	{Errno: syscall.EROFS},
	{Errno: syscall.EROFS, Truncation: true},
	{Errno: syscall.EROFS, TimesOnly: true},
}

func TestProgramDecidesAsTheModelDoes(t *testing.T) {
	for machine, offered := range machines {
		for _, options := range everyOption {
			t.Run(fmt.Sprintf("%s/%v/truncation=%v/times only=%v", machine, options.Errno, options.Truncation, options.TimesOnly), func(t *testing.T) {
				compare(t, assemble(offered, options), func(d data) uint32 { return model(offered, options, d) })
			})
		}
	}
}

// compare runs the program with everything that it can tell apart.
func compare(t *testing.T, p program, model func(data) uint32) {
	t.Helper()
	arches := []uint32{0, abiAMD64.audit, abiI386.audit, abiARM64.audit, abiARM.audit}
	values := valuesAround(p)
	for _, arch := range arches {
		for _, number := range everyNumber(values) {
			for _, args := range everyArgument(values, number, p, arch) {
				d := data{number: number, arch: arch, args: args}
				if got, want := run(t, p, d), model(d); got != want {
					t.Fatalf("ABI %#x, call %d %#x: %#x, want %#x", arch, number, args, got, want)
				}
			}
		}
	}
}

// everyArgument returns the arguments to try on a call: many where they matter
// under any ABI or the program looks at them, and otherwise two.
func everyArgument(values []uint32, number uint32, p program, arch uint32) [][6]uint64 {
	all := [][6]uint64{{}, {^uint64(0), ^uint64(0), ^uint64(0)}}
	if !argumentsMatter(number) && !looksAtArguments(p, data{number: number, arch: arch}) {
		return all
	}
	for _, value := range append(slices.Clone(values), commands()...) {
		low, high := uint64(value), uint64(value)|1<<40
		all = append(all, [6]uint64{0, low, 0}, [6]uint64{0, 0, low}, [6]uint64{high, high, high})
	}
	return all
}

// commands are those with a rule of their own, and one of each direction and
// type.
func commands() []uint32 {
	all := slices.Concat(setters, getters)
	for direction := range uint32(4) {
		for kind := range uint32(typeMask + 1) {
			all = append(all, direction<<directionOffset|8<<16|kind<<typeOffset|9)
		}
	}
	return all
}

// everyNumber are all numbers that calls have, and the values.
func everyNumber(values []uint32) []uint32 {
	all := slices.Clone(values)
	for number := range uint32(1024) {
		all = append(all, number)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// valuesAround are those around every value with which the program compares.
// It treats all others like one of these.
func valuesAround(p program) []uint32 {
	values := make(map[uint32]bool)
	for _, at := range p {
		for offset := range uint32(3) {
			values[at.k+offset-1] = true
		}
	}
	return slices.Sorted(maps.Keys(values))
}

func argumentsMatter(number uint32) bool {
	calls := []call{ioctl, mqOpen}
	for _, o := range opening {
		calls = append(calls, o.call)
	}
	return slices.ContainsFunc(calls, func(c call) bool {
		return slices.Contains([]int32{c.amd64, c.i386, c.arm64, c.arm}, int32(number))
	})
}

// looksAtArguments follows the program for a call. An argument that is loaded
// and at once replaced makes no difference.
func looksAtArguments(p program, d data) bool {
	var loaded, looked bool
	trace(p, d, func(i instruction) {
		looked = looked || loaded && i.code != opLoad
		loaded = i.code == opLoad && i.k >= dataArgs
	})
	return looked
}
