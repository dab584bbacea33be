package sysfilter

import (
	"maps"
	"slices"
	"syscall"
)

// outcomes are the ends of a program.
type outcomes struct{ allow, refuse, lack label }

// assemble returns the program for a machine that offers the ABIs.
//
// Installing a filter costs more than most of what a start does besides: the
// kernel compiles the program, and runs it once for every call number to learn
// which calls it always allows (Documentation/userspace-api/seccomp_filter.rst,
// "action cache"). So the program is short and finds a number by halving: what
// looks into arguments and the ends are there once, for all ABIs.
func assemble(abis []abi, options Options) program {
	var a assembler
	to := outcomes{
		allow:  a.end(allow),
		refuse: a.end(fails(options.Errno)),
		lack:   a.end(fails(syscall.ENOSYS)),
	}
	rules := a.rules(options, to)
	start := to.lack
	for _, offered := range slices.Backward(abis) {
		section := a.load(dataNumber, a.find(offered.ranges(rules, to)))
		start = a.test(opEqual, offered.audit, section, start)
	}
	a.load(dataArch, start)
	return a.program()
}

// rule says how a call is decided that is not simply allowed.
type rule struct {
	call
	by label
}

func (a *assembler) rules(options Options, to outcomes) []rule {
	rules := rulesFor(timing, to.refuse)
	if options.TimesOnly {
		return rules
	}
	rules = slices.Concat(rules, rulesFor(refused, to.refuse), rulesFor(absent, to.lack))
	if options.Truncation {
		rules = append(rules, rulesFor(truncating, to.refuse)...)
		rules = append(rules, rule{opaqueOpen, to.lack})
		rules = append(rules, a.openRules(to)...)
	}
	return append(rules, rule{mqOpen, a.queueIsMade(to)}, rule{ioctl, a.changesFile(to)})
}

func rulesFor(calls []call, by label) []rule {
	rules := make([]rule, len(calls))
	for i, c := range calls {
		rules[i] = rule{c, by}
	}
	return rules
}

// openRules shares the test between calls that have their flags in the same
// place.
func (a *assembler) openRules(to outcomes) []rule {
	tests := make(map[int]label)
	var rules []rule
	for _, o := range opening {
		if _, made := tests[o.flags]; !made {
			tests[o.flags] = a.openTruncates(o.flags, to)
		}
		rules = append(rules, rule{o.call, tests[o.flags]})
	}
	return rules
}

// span is a run of call numbers that are decided alike, from the given one to
// where the next span starts.
type span struct {
	from uint32
	by   label
}

// ranges divides all numbers of the ABI into spans, ordered.
func (a abi) ranges(rules []rule, to outcomes) []span {
	decided := make(map[uint32]label)
	for _, r := range rules {
		if number := a.number(r.call); number != none {
			decided[uint32(number)] = r.by
		}
	}
	all := []span{{0, to.allow}}
	for _, number := range slices.Sorted(maps.Keys(decided)) {
		all = begin(all, span{number, decided[number]})
		all = begin(all, span{number + 1, to.allow})
	}
	if a.limit != 0 {
		all = begin(all, span{a.limit, to.lack})
	}
	return all
}

// begin adds a span that takes over from the last one, whatever that covers
// from there on.
func begin(all []span, next span) []span {
	if last := len(all) - 1; all[last].from == next.from {
		all = all[:last]
	}
	if last := len(all) - 1; last >= 0 && all[last].by == next.by {
		return all
	}
	return append(all, next)
}

// find leads to what decides about the number in the accumulator.
func (a *assembler) find(all []span) label {
	if len(all) == 1 {
		return all[0].by
	}
	middle := len(all) / 2
	upper := a.find(all[middle:])
	lower := a.find(all[:middle])
	return a.test(opAbove, all[middle].from, upper, lower)
}
