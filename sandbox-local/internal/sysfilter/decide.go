package sysfilter

import (
	"maps"
	"slices"
	"syscall"
)

// outcomes are the ends of a program.
type outcomes struct{ allow, refuse, lack label }

// assemble returns the program for a machine that offers the ABIs, its own
// first.
//
// Installing a filter costs more than most of what a start does besides: the
// kernel compiles the program, and tries every call number of every ABI to
// learn which calls it always allows (Documentation/userspace-api/
// seccomp_filter.rst, "action cache"; seccomp_cache_prepare in
// kernel/seccomp.c). So the program is short and the way to a number is, too:
// what looks into arguments and the ends are there once, for all ABIs. Nor is
// anything learnt about the foreign ABIs, which hardly any command enters: the
// kernel gives a number up where the program loads an argument.
func assemble(abis []abi, options Options) program {
	var a assembler
	to := outcomes{
		allow:  a.end(allow),
		refuse: a.end(fails(options.Errno)),
		lack:   a.end(fails(syscall.ENOSYS)),
	}
	rules := a.rules(options, to)
	start := to.lack
	for i, offered := range slices.Backward(abis) {
		section := a.load(dataNumber, a.find(offered.ranges(rules, to), inUse))
		if foreign := i > 0; foreign {
			section = a.load(lowWord(0), section)
		}
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

// inUse is about how many numbers a kernel has.
const inUse = 480

// find leads to what decides about the number in the accumulator. Those of the
// spans that are in use end before end.
func (a *assembler) find(all []span, end uint32) label {
	if len(all) == 1 {
		return all[0].by
	}
	if isException(all) {
		return a.test(opEqual, all[1].from, all[1].by, all[0].by)
	}
	split := halve(all, end)
	from := all[split].from
	upper := a.find(all[split:], end)
	lower := a.find(all[:split], from)
	return a.test(opAbove, from, upper, lower)
}

// isException reports whether the spans are a single number and what is
// decided alike around it.
func isException(all []span) bool {
	return len(all) == 3 && all[1].from+1 == all[2].from && all[0].by == all[2].by
}

// halve returns where to split spans so that the numbers in use on both sides
// are as even as can be: the kernel tries every one of them.
func halve(all []span, end uint32) int {
	middle := all[0].from + (max(end, all[0].from)-all[0].from)/2
	nearest := 1
	for i := range all[1:] {
		if apart(all[i+1].from, middle) < apart(all[nearest].from, middle) {
			nearest = i + 1
		}
	}
	return nearest
}

func apart(a, b uint32) uint32 { return max(a, b) - min(a, b) }
