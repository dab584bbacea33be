package sysfilter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"testing"
)

// data is struct seccomp_data of linux/seccomp.h.
type data struct {
	number, arch uint32
	args         [6]uint64
}

func (d data) bytes() []byte {
	raw := binary.LittleEndian.AppendUint32(make([]byte, 0, 64), d.number)
	raw = binary.LittleEndian.AppendUint32(raw, d.arch)
	raw = binary.LittleEndian.AppendUint64(raw, 0)
	for _, arg := range d.args {
		raw = binary.LittleEndian.AppendUint64(raw, arg)
	}
	return raw
}

// run interprets a program as the kernel does.
func run(t *testing.T, p program, d data) uint32 {
	t.Helper()
	verdict, err := trace(p, d, func(instruction) {})
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}

// trace interprets a program and shows each instruction on its way.
func trace(p program, d data, visit func(instruction)) (verdict uint32, err error) {
	raw, acc := d.bytes(), uint32(0)
	for pc := 0; pc < len(p); pc++ {
		in := p[pc]
		visit(in)
		var taken bool
		switch in.code {
		case opLoad:
			acc = binary.LittleEndian.Uint32(raw[in.k:])
			continue
		case opAnd:
			acc &= in.k
			continue
		case opShift:
			acc >>= in.k
			continue
		case opJump:
			pc += int(in.k)
			continue
		case opEnd:
			return in.k, nil
		case opEqual:
			taken = acc == in.k
		case opAbove:
			taken = acc >= in.k
		case opBits:
			taken = acc&in.k != 0
		default:
			return 0, fmt.Errorf("instruction %d: code %#x", pc, in.code)
		}
		if taken {
			pc += int(in.jt)
		} else {
			pc += int(in.jf)
		}
	}
	return 0, errors.New("the program has no end")
}

const (
	refusal = errnoFlag | uint32(syscall.EACCES)
	lacking = errnoFlag | uint32(syscall.ENOSYS)
)

var machines = map[string][]abi{"amd64": {abiAMD64, abiI386}, "arm64": {abiARM64, abiARM}}

// decide runs the programs of both machines for one ABI.
func decide(t *testing.T, a abi, options Options, number int32, args ...uint64) uint32 {
	t.Helper()
	d := data{number: uint32(number), arch: a.audit}
	copy(d.args[:], args)
	for _, abis := range machines {
		for _, known := range abis {
			if known.audit == a.audit {
				return run(t, assemble(abis, options), d)
			}
		}
	}
	t.Fatal("no machine has the ABI")
	return 0
}

var allABIs = map[string]abi{"amd64": abiAMD64, "i386": abiI386, "arm64": abiARM64, "arm": abiARM}

var (
	plain    = Options{Errno: syscall.EACCES}
	oldOnes  = Options{Errno: syscall.EACCES, Truncation: true}
	allCalls = slices.Concat(timing, refused, truncating)
)

func TestFilterRefusesTheCallsOfEveryABI(t *testing.T) {
	for name, a := range allABIs {
		for _, c := range slices.Concat(timing, refused) {
			if number := a.number(c); number != none && decide(t, a, plain, number) != refusal {
				t.Errorf("%s: %s passes", name, c.name)
			}
		}
		for _, c := range absent {
			if decide(t, a, plain, a.number(c)) != lacking {
				t.Errorf("%s: %s is there", name, c.name)
			}
		}
		for _, c := range truncating {
			number := a.number(c)
			if number == none {
				continue
			}
			if decide(t, a, plain, number) != allow || decide(t, a, oldOnes, number) != refusal {
				t.Errorf("%s: %s", name, c.name)
			}
		}
		if decide(t, a, plain, 437) != allow || decide(t, a, oldOnes, 437) != lacking {
			t.Errorf("%s: openat2", name)
		}
	}
}

func TestFilterAllowsTheRest(t *testing.T) {
	for name, a := range allABIs {
		special := map[int32]bool{}
		for _, c := range append(append([]call{}, allCalls...), absent...) {
			special[a.number(c)] = true
		}
		for number := range int32(600) {
			if !special[number] && decide(t, a, plain, number) != allow {
				t.Errorf("%s: call %d is refused", name, number)
			}
		}
	}
}

func TestFilterHasNoOtherABI(t *testing.T) {
	for machine, abis := range machines {
		for name, a := range allABIs {
			d := data{number: 0, arch: a.audit}
			known := a.audit == abis[0].audit || a.audit == abis[1].audit
			if got := run(t, assemble(abis, plain), d); (got == allow) != known {
				t.Errorf("%s on %s: %#x", name, machine, got)
			}
		}
	}
	const x32 = 0x40000000
	if got := decide(t, abiAMD64, plain, x32|1); got != lacking {
		t.Errorf("x32: %#x", got)
	}
}

func TestFilterOfOpen(t *testing.T) {
	tests := []struct {
		flags uint64
		want  uint32
	}{
		{0, allow},
		{1, allow},
		{2, allow},
		{openTrunc | 1, allow},
		{openTrunc | 2, allow},
		{openTrunc, refusal},
		{openTrunc | 3, refusal},
		{openTrunc | openCreate, refusal},
		{1<<32 | openTrunc, refusal},
	}
	for name, a := range allABIs {
		for _, o := range opening {
			number := a.number(o.call)
			if number == none {
				continue
			}
			for _, tt := range tests {
				args := make([]uint64, 3)
				args[o.flags] = tt.flags
				if got := decide(t, a, oldOnes, number, args...); got != tt.want {
					t.Errorf("%s: %s %#x: %#x", name, o.name, tt.flags, got)
				}
				if got := decide(t, a, plain, number, args...); got != allow {
					t.Errorf("%s: %s %#x where Landlock governs it: %#x", name, o.name, tt.flags, got)
				}
			}
		}
	}
}

func TestFilterOfQueues(t *testing.T) {
	for name, a := range allABIs {
		if decide(t, a, plain, a.number(mqOpen), 0, 2) != allow || decide(t, a, plain, a.number(mqOpen), 0, openCreate|2) != refusal {
			t.Error(name)
		}
	}
}

func TestFilterOfIoctl(t *testing.T) {
	tests := []struct {
		name    string
		command uint64
		want    uint32
	}{
		{"TCGETS", 0x5401, allow},
		{"TIOCGWINSZ", 0x5413, allow},
		{"FIONREAD", 0x541b, allow},
		{"TIOCSTI", 0x5412, refusal},
		{"TIOCLINUX", 0x541c, refusal},
		{"FS_IOC_GETFLAGS", 0x80086601, allow},
		{"FS_IOC_SETFLAGS", 0x40086602, refusal},
		{"FS_IOC32_SETFLAGS", 0x40046602, refusal},
		{"FS_IOC_SETVERSION", 0x40087602, refusal},
		{"FS_IOC_FSGETXATTR", 0x801c581f, allow},
		{"FS_IOC_FSSETXATTR", 0x401c5820, refusal},
		{"FIFREEZE", 0xc0045877, refusal},
		{"FITHAW", 0xc0045878, refusal},
		{"FITRIM", 0xc0185879, refusal},
		{"FS_IOC_SHUTDOWN", 0x8004587d, refusal},
		{"FS_IOC_FIEMAP", 0xc020660b, allow},
		{"FS_IOC_ENABLE_VERITY", 0x40806685, refusal},
		{"FS_IOC_MEASURE_VERITY", 0xc0046686, allow},
		{"FS_IOC_SET_ENCRYPTION_POLICY", 0x800c6613, refusal},
		{"FS_IOC_GET_ENCRYPTION_PWSALT", 0x40106614, refusal},
		{"FS_IOC_GET_ENCRYPTION_POLICY", 0x400c6615, allow},
		{"BTRFS_IOC_QGROUP_LIMIT", 0x8030942b, refusal},
		{"F2FS_IOC_RELEASE_COMPRESS_BLOCKS", 0x8008f512, refusal},
		{"FS_IOC_SETFSLABEL", 0x41009432, refusal},
		{"FS_IOC_GETFSLABEL", 0x81009431, allow},
		{"BTRFS_IOC_SUBVOL_CREATE", 0x5000940e, refusal},
		{"BTRFS_IOC_SNAP_CREATE", 0x50009401, refusal},
		{"FICLONE", 0x40049409, refusal},
		{"EXT4_IOC_SWAP_BOOT", 0x6611, refusal},
		{"FAT_IOCTL_GET_ATTRIBUTES", 0x80047210, allow},
		{"FAT_IOCTL_SET_ATTRIBUTES", 0x40047211, refusal},
		{"garbage in the upper half", 1<<32 | 0x40086602, refusal},
	}
	for abiName, a := range allABIs {
		for _, tt := range tests {
			if got := decide(t, a, plain, a.number(ioctl), 0, tt.command); got != tt.want {
				t.Errorf("%s: %s: %#x", abiName, tt.name, got)
			}
		}
	}
}

func TestProgramIsEncodedAsTheKernelReadsIt(t *testing.T) {
	raw := encode(program{{code: 0x1234, jt: 5, jf: 6, k: 0x789abcde}})
	want := "\x34\x12\x05\x06\xde\xbc\x9a\x78"
	if string(raw) != want {
		t.Errorf("% x", raw)
	}
}
