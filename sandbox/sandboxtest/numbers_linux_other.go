//go:build linux && !amd64 && !arm64

package sandboxtest

// The calls that an architecture numbers for itself are not attempted here.
const (
	sysIoctl          = none
	sysRename         = none
	sysCreat          = none
	sysChmod          = none
	sysFchmod         = none
	sysChown          = none
	sysFchown         = none
	sysUtime          = none
	sysMknod          = none
	sysUtimes         = none
	sysFutimesat      = none
	sysSetxattr       = none
	sysLsetxattr      = none
	sysFsetxattr      = none
	sysRemovexattr    = none
	sysLremovexattr   = none
	sysFremovexattr   = none
	sysMkdirat        = none
	sysMknodat        = none
	sysFchownat       = none
	sysUnlinkat       = none
	sysLinkat         = none
	sysSymlinkat      = none
	sysFchmodat       = none
	sysUtimensat      = none
	sysNameToHandleAt = none
	sysOpenByHandleAt = none
	sysRenameat2      = none
	sysCopyFileRange  = none
)
