package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlockABI asks the kernel; 0 is no Landlock.
func landlockABI() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// abi is a Landlock of an older kernel: what its landlock_create_ruleset(2)
// takes (linux/landlock.h in the versions of the kernel).
type abi struct {
	version int
	size    uint64 // of struct landlock_ruleset_attr
	rights  uint64 // known in handled_access_fs
	ports   uint64 // known in handled_access_net
}

// abis are those older than the first one with scopes and with flags of
// landlock_restrict_self(2).
var abis = []abi{
	{1, 8, 1<<13 - 1, 0},
	{2, 8, 1<<14 - 1, 0}, // refer
	{3, 8, 1<<15 - 1, 0}, // truncate
	{4, 16, 1<<15 - 1, 1<<2 - 1},
	{5, 16, 1<<16 - 1, 1<<2 - 1}, // ioctl_dev
}

var errNoABI = errors.New("no such ABI to pretend")

// pretendABI makes the kernel's Landlock answer like an older one to every
// process that the calling thread starts: it tells the older version, and it
// refuses the rights that this version does not know. What it accepts the
// kernel enforces; a right that is not handled is not enforced by a newer
// kernel either, so that is all there is to an older ABI.
//
// It answers until ctx ends.
func pretendABI(ctx context.Context, version int) error {
	at := slices.IndexFunc(abis, func(a abi) bool { return a.version == version })
	if at < 0 {
		return errNoABI
	}
	listener, err := listen()
	if err != nil {
		return err
	}
	go abis[at].answer(ctx, listener)
	return nil
}

// listen has the calls that create a ruleset answered by this process, and
// refuses the flags that later ABIs gave to restricting.
func listen() (int, error) {
	const (
		load, equal, end = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
		number, flags    = 0, 16 + 8 // offsets in struct seccomp_data; flags is the second argument
	)
	filter := []unix.SockFilter{
		{Code: load, K: number},
		{Code: equal, K: unix.SYS_LANDLOCK_CREATE_RULESET, Jt: 4},
		{Code: equal, K: unix.SYS_LANDLOCK_RESTRICT_SELF, Jf: 2},
		{Code: load, K: flags},
		{Code: equal, K: 0, Jf: 2},
		{Code: end, K: unix.SECCOMP_RET_ALLOW},
		{Code: end, K: unix.SECCOMP_RET_USER_NOTIF},
		{Code: end, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EINVAL)},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return -1, os.NewSyscallError("seccomp", errno)
	}
	return int(fd), nil
}

// notification and response are struct seccomp_notif and seccomp_notif_resp.
type notification struct {
	id         uint64
	pid, flags uint32
	number     int32
	arch       uint32
	ip         uint64
	args       [6]uint64
}

type response struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// proceed has the kernel run the call (SECCOMP_USER_NOTIF_FLAG_CONTINUE).
const proceed = 1

func (a abi) answer(ctx context.Context, listener int) {
	defer unix.Close(listener)
	for ctx.Err() == nil {
		ready := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if n, err := unix.Poll(ready, 100); n == 0 || err != nil {
			continue
		}
		var call notification
		if ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&call)) != 0 {
			continue // the caller was killed
		}
		reply := response{id: call.id}
		a.decide(call, &reply)
		_ = ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&reply)) // the caller was killed
	}
}

func ioctl(fd int, request uint, arg unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), uintptr(arg))
	return errno
}

// decide answers like the older kernel.
func (a abi) decide(call notification, reply *response) {
	switch attr, size, flags := call.args[0], call.args[1], call.args[2]; flags {
	case 0:
		if errno := a.check(int(call.pid), attr, size); errno != 0 {
			reply.errno = -int32(errno)
		} else {
			reply.flags = proceed
		}
	case unix.LANDLOCK_CREATE_RULESET_VERSION:
		reply.value = int64(a.version)
	default:
		reply.errno = -int32(unix.EINVAL)
	}
}

// check reads the attributes out of the caller's memory, as far as there is
// anything.
func (a abi) check(pid int, attr, size uint64) unix.Errno {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return unix.EFAULT
	}
	defer memory.Close()
	var words [8]uint64
	raw := make([]byte, min(size, uint64(len(words)*8)))
	if _, err := memory.ReadAt(raw, int64(attr)); err != nil {
		return unix.EFAULT
	}
	for i := range len(raw) / 8 {
		words[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	for _, word := range words[a.size/8:] {
		if word != 0 {
			return unix.E2BIG
		}
	}
	if words[0]&^a.rights != 0 || words[1]&^a.ports != 0 {
		return unix.EINVAL
	}
	return 0
}
