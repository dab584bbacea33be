package sysfilter

// Flags of open(2), which are the same on every architecture of the filter.
const (
	openAccess = 0x3
	openCreate = 0x40
	openTrunc  = 0x200
)

// openTruncates refuses an open that empties the file without asking for the
// right to write it. An access mode of 3 grants neither reading nor writing,
// and empties all the same.
func (a *assembler) openTruncates(flags int, to outcomes) label {
	const writeOnly, readWrite = 1, 2
	byAccess := a.step(opAnd, openAccess, a.oneOf([]uint32{writeOnly, readWrite}, to.allow, to.refuse))
	return a.load(lowWord(flags), a.test(opBits, openTrunc, byAccess, to.allow))
}

// queueIsMade refuses an mq_open(2) that may create.
func (a *assembler) queueIsMade(to outcomes) label {
	return a.load(lowWord(1), a.test(opBits, openCreate, to.refuse, to.allow))
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
func (a *assembler) changesFile(to outcomes) label {
	byDirection := a.load(lowWord(1), a.step(opShift, directionOffset,
		a.test(opEqual, directionRead, to.allow, to.refuse)))
	byType := a.step(opShift, typeOffset, a.step(opAnd, typeMask,
		a.oneOf(fileSystemTypes, byDirection, to.allow)))
	return a.load(lowWord(1), a.oneOf(setters, to.refuse, a.oneOf(getters, to.allow, byType)))
}
