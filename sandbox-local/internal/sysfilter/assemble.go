package sysfilter

import (
	"encoding/binary"
	"syscall"
)

// instruction is struct sock_filter of linux/filter.h.
type instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

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

// What a program returns (seccomp(2)).
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

// block is a piece of a program. Every path through one either ends the
// program or falls out at its end.
type block []instruction

func load(offset uint32) instruction { return instruction{code: opLoad, k: offset} }

func end(verdict uint32) instruction { return instruction{code: opEnd, k: verdict} }

func fails(errno syscall.Errno) uint32 { return errnoFlag | uint32(errno) }

// when runs then if the test holds for the accumulator and k, and otherwise
// skips it. A jump by distance takes any length, which a test's own does not.
func when(test uint16, k uint32, then block) block {
	return append(block{
		{code: test, jt: 1, k: k},
		{code: opJump, k: uint32(len(then))},
	}, then...)
}

// is ends with the verdict if the accumulator equals k.
func is(k, verdict uint32) block {
	return block{{code: opEqual, jf: 1, k: k}, end(verdict)}
}

// assemble returns the program for a machine that offers the ABIs.
func assemble(abis []abi, options Options) block {
	program := block{load(dataArch)}
	for _, a := range abis {
		program = append(program, when(opEqual, a.audit, a.section(options))...)
	}
	return append(program, end(fails(syscall.ENOSYS)))
}

// section decides about a call of the ABI.
func (a abi) section(options Options) block {
	section := block{load(dataNumber)}
	if a.limit != 0 {
		section = append(section, when(opAbove, a.limit, block{end(fails(syscall.ENOSYS))})...)
	}
	section = append(section, a.on(fails(options.Errno), refused...)...)
	section = append(section, a.on(fails(syscall.ENOSYS), absent...)...)
	if options.Truncation {
		section = append(section, a.on(fails(options.Errno), truncating...)...)
		section = append(section, a.on(fails(syscall.ENOSYS), opaqueOpen)...)
		for _, o := range opening {
			section = append(section, a.looking(o.call, openTruncates(o.flags, options.Errno))...)
		}
	}
	section = append(section, a.looking(mqOpen, queueIsMade(options.Errno))...)
	section = append(section, a.looking(ioctl, changesFile(options.Errno))...)
	return append(section, end(allow))
}

// on ends with the verdict for each of the calls that the ABI has.
func (a abi) on(verdict uint32, calls ...call) block {
	var b block
	for _, c := range calls {
		if number := a.number(c); number != none {
			b = append(b, is(uint32(number), verdict)...)
		}
	}
	return b
}

// looking has decide look at the arguments of a call. It ends the program.
func (a abi) looking(c call, decide block) block {
	number := a.number(c)
	if number == none {
		return nil
	}
	return when(opEqual, uint32(number), decide)
}

// encode lays the program out as in memory.
func encode(program block) []byte {
	raw := make([]byte, 0, 8*len(program))
	for _, i := range program {
		raw = binary.LittleEndian.AppendUint16(raw, i.code)
		raw = append(raw, i.jt, i.jf)
		raw = binary.LittleEndian.AppendUint32(raw, i.k)
	}
	return raw
}
