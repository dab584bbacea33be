package sandboxtest

const (
	sysIoctl          = 16
	sysRename         = 82
	sysCreat          = 85
	sysChmod          = 90
	sysFchmod         = 91
	sysChown          = 92
	sysFchown         = 93
	sysUtime          = 132
	sysMknod          = 133
	sysUtimes         = 235
	sysFutimesat      = 261
	sysSetxattr       = 188
	sysLsetxattr      = 189
	sysFsetxattr      = 190
	sysRemovexattr    = 197
	sysLremovexattr   = 198
	sysFremovexattr   = 199
	sysMkdirat        = 258
	sysMknodat        = 259
	sysFchownat       = 260
	sysUnlinkat       = 263
	sysLinkat         = 265
	sysSymlinkat      = 266
	sysFchmodat       = 268
	sysUtimensat      = 280
	sysNameToHandleAt = 303
	sysOpenByHandleAt = 304
	sysRenameat2      = 316
	sysCopyFileRange  = 326
)
