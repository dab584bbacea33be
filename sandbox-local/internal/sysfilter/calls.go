package sysfilter

// none is the number of a call that an architecture does not have.
const none = -1

// call is one system call with its number per architecture. Numbers from 403
// on are the same everywhere.
type call struct {
	name                    string
	amd64, i386, arm64, arm int32
}

func everywhere(name string, number int32) call { return call{name, number, number, number, number} }

// timing are the calls that change a file's times. Whoever may write to a file
// may set them to the present.
var timing = []call{
	{"utime", 132, 30, none, none},
	{"utimes", 235, 271, none, 269},
	{"futimesat", 261, 299, none, 326},
	{"utimensat", 280, 320, 88, 348},
	{"utimensat_time64", none, 412, none, 412},
}

// refused are the other calls that change what no file right governs: modes,
// owners, extended attributes and inode flags; and those that arrange mounts,
// of which mount_setattr(2) escapes every other check. A removed message queue
// is a removed file, too (mq_overview(7)).
var refused = []call{
	{"chmod", 90, 15, none, 15},
	{"fchmod", 91, 94, 52, 94},
	{"fchmodat", 268, 306, 53, 333},
	everywhere("fchmodat2", 452),

	{"chown", 92, 182, none, 182},
	{"fchown", 93, 95, 55, 95},
	{"lchown", 94, 16, none, 16},
	{"fchownat", 260, 298, 54, 325},
	{"chown32", none, 212, none, 212},
	{"fchown32", none, 207, none, 207},
	{"lchown32", none, 198, none, 198},

	{"setxattr", 188, 226, 5, 226},
	{"lsetxattr", 189, 227, 6, 227},
	{"fsetxattr", 190, 228, 7, 228},
	{"removexattr", 197, 235, 14, 235},
	{"lremovexattr", 198, 236, 15, 236},
	{"fremovexattr", 199, 237, 16, 237},
	everywhere("setxattrat", 463),
	everywhere("removexattrat", 466),
	everywhere("file_setattr", 469),

	{"mount", 165, 21, 40, 21},
	{"umount", none, 22, none, none},
	{"umount2", 166, 52, 39, 52},
	{"pivot_root", 155, 217, 41, 218},
	everywhere("open_tree", 428),
	everywhere("move_mount", 429),
	everywhere("fsopen", 430),
	everywhere("fsconfig", 431),
	everywhere("fsmount", 432),
	everywhere("fspick", 433),
	everywhere("mount_setattr", 442),
	everywhere("open_tree_attr", 467),

	{"mq_unlink", 241, 278, 181, 275},
}

// absent are the calls that the filter cannot look into, because what they do
// is described in memory: a program is told that the kernel lacks them and
// falls back.
var absent = []call{
	everywhere("io_uring_setup", 425),
	everywhere("io_uring_enter", 426),
	everywhere("io_uring_register", 427),
}

// The same where truncation by path is refused, too.
var (
	truncating = []call{
		{"truncate", 76, 92, 45, 92},
		{"truncate64", none, 193, none, 193},
	}
	opaqueOpen = everywhere("openat2", 437)
)

// opening are the calls whose argument of the given index holds the flags of
// open(2).
var opening = []struct {
	call
	flags int
}{
	{call{"open", 2, 5, none, 5}, 1},
	{call{"openat", 257, 295, 56, 322}, 2},
	{call{"open_by_handle_at", 304, 342, 265, 371}, 2},
}

var (
	ioctl  = call{"ioctl", 16, 54, 29, 54}
	mqOpen = call{"mq_open", 240, 277, 180, 274} // flags: argument 1
)

// abi is one way to enter the kernel.
type abi struct {
	audit  uint32 // AUDIT_ARCH_* of linux/audit.h
	number func(call) int32
	// limit, if set, is the number from which calls belong to an ABI that is
	// not offered: x32 tells itself apart by a bit of the number.
	limit uint32
}

var (
	abiAMD64 = abi{audit: 0xc000003e, number: func(c call) int32 { return c.amd64 }, limit: 0x40000000}
	abiI386  = abi{audit: 0x40000003, number: func(c call) int32 { return c.i386 }}
	abiARM64 = abi{audit: 0xc00000b7, number: func(c call) int32 { return c.arm64 }}
	abiARM   = abi{audit: 0x40000028, number: func(c call) int32 { return c.arm }}
)

// abisOf returns the ABIs that a machine of the architecture may offer, or nil
// for one that the filter does not know.
func abisOf(goarch string) []abi {
	switch goarch {
	case "amd64":
		return []abi{abiAMD64, abiI386}
	case "arm64":
		return []abi{abiARM64, abiARM}
	default:
		return nil
	}
}
