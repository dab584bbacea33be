package sysfilter

import "syscall"

// Flags of open(2), which are the same on every architecture of the filter.
const (
	openAccess = 0x3
	openCreate = 0x40
	openTrunc  = 0x200
)

// openTruncates refuses an open that empties the file without asking for the
// right to write it. An access mode of 3 grants neither reading nor writing,
// and empties all the same.
func openTruncates(flags int, errno syscall.Errno) block {
	const writeOnly, readWrite = 1, 2
	truncates := block{{code: opAnd, k: openAccess}}
	truncates = append(truncates, is(writeOnly, allow)...)
	truncates = append(truncates, is(readWrite, allow)...)
	truncates = append(truncates, end(fails(errno)))
	decide := block{load(lowWord(flags))}
	decide = append(decide, when(opBits, openTrunc, truncates)...)
	return append(decide, end(allow))
}

// queueIsMade refuses an mq_open(2) that may create.
func queueIsMade(errno syscall.Errno) block {
	decide := block{load(lowWord(1))}
	decide = append(decide, when(opBits, openCreate, block{end(fails(errno))})...)
	return append(decide, end(allow))
}

// Commands of ioctl(2), from ioctl_tty(2), linux/fs.h, linux/fscrypt.h,
// linux/fsverity.h and the headers of the file systems.
var (
	// setters change something although they are no command of a file system,
	// or although their direction is that of a getter.
	setters = []uint32{
		0x5412,     // TIOCSTI, which types at a terminal
		0x541c,     // TIOCLINUX, which pastes at a console
		0x8004587d, // FS_IOC_SHUTDOWN
		0x800c6613, // FS_IOC_SET_ENCRYPTION_POLICY
		0x8030942b, // BTRFS_IOC_QGROUP_LIMIT
		0x8008f512, // F2FS_IOC_RELEASE_COMPRESS_BLOCKS
		0x8008f513, // F2FS_IOC_RESERVE_COMPRESS_BLOCKS
		0x40047211, // FAT_IOCTL_SET_ATTRIBUTES
	}
	// getters change nothing although their direction is that of a setter.
	getters = []uint32{
		0xc020660b, // FS_IOC_FIEMAP
		0xc0046686, // FS_IOC_MEASURE_VERITY
		0xc0286687, // FS_IOC_READ_VERITY_METADATA
		0x400c6615, // FS_IOC_GET_ENCRYPTION_POLICY
		0xc0096616, // FS_IOC_GET_ENCRYPTION_POLICY_EX
	}
)

// How a command is made up (linux/ioctl.h).
const (
	directionRead   = 2 // from the kernel alone
	directionOffset = 30
	typeOffset      = 8
	typeMask        = 0xff
)

// fileSystemTypes are the types of the commands by which file systems change
// inode flags, versions, projects, labels, verity, encryption and subvolumes,
// or freeze: ext4 and the generic ones, versions, XFS and generic ones, btrfs,
// f2fs.
var fileSystemTypes = []uint32{'f', 'v', 'X', 0x94, 0xf5}

// changesFile refuses the commands of file systems that are not getters.
func changesFile(errno syscall.Errno) block {
	decide := block{load(lowWord(1))}
	for _, setter := range setters {
		decide = append(decide, is(setter, fails(errno))...)
	}
	for _, getter := range getters {
		decide = append(decide, is(getter, allow)...)
	}
	byDirection := block{load(lowWord(1)), {code: opShift, k: directionOffset}}
	byDirection = append(byDirection, is(directionRead, allow)...)
	byDirection = append(byDirection, end(fails(errno)))
	decide = append(decide, instruction{code: opShift, k: typeOffset}, instruction{code: opAnd, k: typeMask})
	for _, kind := range fileSystemTypes {
		decide = append(decide, when(opEqual, kind, byDirection)...)
	}
	return append(decide, end(allow))
}
