package sysfilter

import (
	"encoding/binary"
	"slices"
	"syscall"
)

// instruction is struct sock_filter of linux/filter.h.
type instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

// program is what the kernel runs for a call, from its start.
type program []instruction

// The operations in use, from linux/bpf_common.h.
const (
	opLoad  = 0x20 // accumulator = 32 bits of the call's data at k
	opAnd   = 0x54
	opShift = 0x74 // to the right
	opJump  = 0x05
	opEqual = 0x15
	opAbove = 0x35 // or equal
	opBits  = 0x45 // any bit of k set
	opEnd   = 0x06
)

// What a program returns (seccomp(2)), and where it finds the call.
const (
	allow      = 0x7fff0000
	errnoFlag  = 0x00050000
	dataNumber = 0  // offset of the call's number
	dataArch   = 4  // of its ABI
	dataArgs   = 16 // of its six arguments, 64 bits each
)

// lowWord is the offset of the lower half of an argument: every architecture
// of the filter is little-endian.
func lowWord(argument int) uint32 { return dataArgs + 8*uint32(argument) }

func fails(errno syscall.Errno) uint32 { return errnoFlag | uint32(errno) }

// label is an instruction that others go on to. It counts the instructions
// from there to the end of the program, so that it stays right when more are
// put in front.
type label int

// assembler builds a program from its end to its start. Classic BPF jumps only
// forwards: what an instruction goes on to is there before the instruction
// itself, and no distance has to be filled in afterwards.
//
// Every method puts instructions in front of the program and returns the label
// of the first.
type assembler struct {
	reversed program
}

// program returns what was assembled, which starts at the latest label.
func (a *assembler) program() program {
	p := slices.Clone(a.reversed)
	slices.Reverse(p)
	return p
}

func (a *assembler) put(i instruction) label {
	a.reversed = append(a.reversed, i)
	return label(len(a.reversed))
}

// distance is how many instructions one that is put next would skip.
func (a *assembler) distance(to label) int { return len(a.reversed) - int(to) }

// end ends the program with a verdict.
func (a *assembler) end(verdict uint32) label { return a.put(instruction{code: opEnd, k: verdict}) }

// jump takes any distance, which a test's own jumps do not.
func (a *assembler) jump(to label) label {
	return a.put(instruction{code: opJump, k: uint32(a.distance(to))})
}

// step changes the accumulator and goes on.
func (a *assembler) step(code uint16, k uint32, next label) label {
	if a.distance(next) > 0 {
		a.jump(next)
	}
	return a.put(instruction{code: code, k: k})
}

func (a *assembler) load(offset uint32, next label) label { return a.step(opLoad, offset, next) }

// test compares the accumulator with k.
func (a *assembler) test(code uint16, k uint32, yes, no label) label {
	yes = a.near(yes)
	no = a.near(no)
	return a.put(instruction{code: code, k: k, jt: uint8(a.distance(yes)), jf: uint8(a.distance(no))})
}

// testReach is how many instructions a test can skip, less one for the jump
// that may still be put between it and what it goes on to.
const testReach = 0xff - 1

// near returns a label within a test's reach that leads to the given one.
func (a *assembler) near(to label) label {
	if a.distance(to) > testReach {
		return a.jump(to)
	}
	return to
}

// oneOf tells whether the accumulator equals one of the values.
func (a *assembler) oneOf(values []uint32, yes, no label) label {
	for _, value := range slices.Backward(values) {
		no = a.test(opEqual, value, yes, no)
	}
	return no
}

// encode lays the program out as in memory.
func encode(p program) []byte {
	raw := make([]byte, 0, 8*len(p))
	for _, i := range p {
		raw = binary.LittleEndian.AppendUint16(raw, i.code)
		raw = append(raw, i.jt, i.jf)
		raw = binary.LittleEndian.AppendUint32(raw, i.k)
	}
	return raw
}
