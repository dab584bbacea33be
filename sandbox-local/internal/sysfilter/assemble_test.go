package sysfilter

import "testing"

// A test skips at most 255 instructions, and the ends may lie farther away.
func TestTestsReachAnyDistance(t *testing.T) {
	distances := []int{0, 1, 252, 253, 254, 255, 256, 257, 300, 600}
	for _, far := range distances {
		for _, gap := range distances {
			p := distant(far, gap)
			for number, want := range map[uint32]uint32{7: 1, 8: 2} {
				if got := run(t, p, data{number: number}); got != want {
					t.Fatalf("%d and %d instructions between, call %d: end %d, want %d", far, gap, number, got, want)
				}
			}
		}
	}
}

// distant tests for call 7, whose end lies behind so many instructions, and
// behind so many more the other end.
func distant(far, gap int) program {
	var a assembler
	no := a.end(2)
	pad(&a, gap)
	yes := a.end(1)
	pad(&a, far)
	a.load(dataNumber, a.test(opEqual, 7, yes, no))
	return a.program()
}

func pad(a *assembler, count int) {
	for range count {
		a.end(3)
	}
}

func TestSpansMeetWithoutGapsAndDiffer(t *testing.T) {
	to := outcomes{allow: 1, refuse: 2, lack: 3}
	for name, a := range allABIs {
		spans := a.ranges(append(rulesFor(refused, to.refuse), rulesFor(absent, to.lack)...), to)
		if spans[0].from != 0 {
			t.Errorf("%s: the first span starts at %d", name, spans[0].from)
		}
		for i := range spans[1:] {
			if spans[i].from >= spans[i+1].from || spans[i].by == spans[i+1].by {
				t.Errorf("%s: %v is followed by %v", name, spans[i], spans[i+1])
			}
		}
	}
}

// The kernel's own limit is 4096 instructions; what it costs to install a
// program is what matters here.
func TestProgramStaysShort(t *testing.T) {
	for machine, offered := range machines {
		for options, limit := range map[Options]int{plain: 125, oldOnes: 150} {
			if n := len(assemble(offered, options)); n > limit {
				t.Errorf("%s, %+v: %d instructions, more than %d", machine, options, n, limit)
			}
		}
	}
}

// The kernel follows the program for each number that it has, of each ABI.
func TestLittleIsTriedPerNumber(t *testing.T) {
	for machine, offered := range machines {
		p := assemble(offered, plain)
		for i, a := range offered {
			limit := 9 * inUse
			if i > 0 {
				limit = 4 * inUse
			}
			tried := 0
			for number := range uint32(inUse) {
				tried += kernelTries(p, data{arch: a.audit, number: number})
			}
			if tried > limit {
				t.Errorf("%s, ABI %#x: %d instructions, more than %d", machine, a.audit, tried, limit)
			}
		}
	}
}

// kernelTries counts the instructions up to the verdict, or to where the
// kernel gives up: it knows a call's number and ABI, and no more.
func kernelTries(p program, d data) int {
	tried, gaveUp := 0, false
	trace(p, d, func(i instruction) {
		if !gaveUp {
			tried++
		}
		gaveUp = gaveUp || i.code == opLoad && i.k >= dataArgs
	})
	return tried
}
