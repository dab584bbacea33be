package sandboxtest

const (
	sysIoctl          = 29
	sysRename         = none
	sysCreat          = none
	sysChmod          = none
	sysFchmod         = 52
	sysChown          = none
	sysFchown         = 55
	sysUtime          = none
	sysMknod          = none
	sysUtimes         = none
	sysFutimesat      = none
	sysSetxattr       = 5
	sysLsetxattr      = 6
	sysFsetxattr      = 7
	sysRemovexattr    = 14
	sysLremovexattr   = 15
	sysFremovexattr   = 16
	sysMkdirat        = 34
	sysMknodat        = 33
	sysFchownat       = 54
	sysUnlinkat       = 35
	sysLinkat         = 37
	sysSymlinkat      = 36
	sysFchmodat       = 53
	sysUtimensat      = 88
	sysNameToHandleAt = 264
	sysOpenByHandleAt = 265
	sysRenameat2      = 276
	sysCopyFileRange  = 285
)
