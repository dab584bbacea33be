package sandboxtest

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/dsh-go/dsh/sandbox"
)

// ringAttempts have the kernel make the change by an io_uring operation, into
// which no filter of system calls can look. Truncation and attributes count as
// what they are: a gap of theirs is open whichever way the change is made.
func ringAttempts() []attempt {
	var all []attempt
	add := func(effect sandbox.Effect, name string, do func(victim) error) {
		all = append(all, attempt{effect: effect, name: name, places: directories, needed: mayWork, do: do})
	}
	add(sandbox.EffectIOUring, "open to create", func(v victim) error {
		path := cString(v.path("new"))
		return submit(entry{
			op: opOpenat, fd: atFDCWD, address: path, length: 0o644,
			flags: syscall.O_WRONLY | syscall.O_CREAT | syscall.O_EXCL,
		}, path)
	})
	add(sandbox.EffectTruncate, "io_uring", func(v victim) error {
		path := cString(v.path("file"))
		return submit(entry{op: opOpenat, fd: atFDCWD, address: path, flags: syscall.O_TRUNC}, path)
	})
	add(sandbox.EffectIOUring, "unlink", func(v victim) error {
		path := cString(v.path("file"))
		return submit(entry{op: opUnlinkat, fd: atFDCWD, address: path}, path)
	})
	add(sandbox.EffectIOUring, "mkdir", func(v victim) error {
		path := cString(v.path("new"))
		return submit(entry{op: opMkdirat, fd: atFDCWD, address: path, length: 0o755}, path)
	})
	add(sandbox.EffectIOUring, "rename", func(v victim) error {
		from, to := cString(v.path("file")), cString(v.path("new"))
		here := int32(atFDCWD)
		return submit(entry{op: opRenameat, fd: here, address: from, offset: to, length: uint32(here)}, from, to)
	})
	add(sandbox.EffectXattr, "io_uring", func(v victim) error {
		name, value, path := cString("user."+ownXattr), cString("1"), cString(v.path("file"))
		return submit(entry{op: opSetxattr, address: name, offset: value, length: 1, address3: path}, name, value, path)
	})
	return all
}

// Operations of linux/io_uring.h.
const (
	opOpenat   = 18
	opRenameat = 35
	opUnlinkat = 36
	opMkdirat  = 37
	opSetxattr = 42
)

// entry is struct io_uring_sqe.
type entry struct {
	op, sqeFlags    uint8
	priority        uint16
	fd              int32
	offset, address *byte
	length, flags   uint32
	userData        uint64
	_               [8]byte // buffer, personality, file
	address3        *byte
	_               [8]byte
}

// completion is struct io_uring_cqe.
type completion struct {
	userData uint64
	result   int32
	flags    uint32
}

// ringParams is struct io_uring_params, whose offsets are words.
type ringParams struct {
	sqEntries, cqEntries, flags, cpu, idle, features, wq uint32
	_                                                    [3]uint32
	sq, cq                                               [10]uint32
}

// Places of a ring in ringParams and in its descriptor.
const (
	sqTail, sqArray, cqEntry = 1, 6, 5
	offsetSQ, offsetCQ       = 0, 0x8000000
	offsetEntries            = 0x10000000
	enterGetEvents           = 1
	ringBytes                = 4096
)

func cString(text string) *byte { return unsafe.StringData(text + "\x00") }

// submit has one operation done and returns its error.
func submit(e entry, kept ...*byte) error {
	var params ringParams
	ring, err := invoke(sysIOUringSetup, 1, unsafe.Pointer(&params))
	if err != nil {
		return err
	}
	defer syscall.Close(ring)
	var maps [3][]byte
	for i, offset := range []int64{offsetSQ, offsetCQ, offsetEntries} {
		maps[i], err = syscall.Mmap(ring, offset, ringBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		if err != nil {
			return err
		}
		defer syscall.Munmap(maps[i])
	}
	sq, cq := maps[0], maps[1]
	*(*entry)(unsafe.Pointer(&maps[2][0])) = e
	*(*uint32)(unsafe.Pointer(&sq[params.sq[sqArray]])) = 0
	atomic.AddUint32((*uint32)(unsafe.Pointer(&sq[params.sq[sqTail]])), 1)
	if _, err := invoke(sysIOUringEnter, ring, 1, 1, enterGetEvents, 0, 0); err != nil {
		return err
	}
	runtime.KeepAlive(kept)
	done := (*completion)(unsafe.Pointer(&cq[params.cq[cqEntry]]))
	if done.result < 0 {
		return syscall.Errno(-done.result)
	}
	return nil
}
