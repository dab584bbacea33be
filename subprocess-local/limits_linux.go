package subprocesslocal

import "os"

// argumentLimit is the largest single argument or variable with its NUL byte,
// MAX_ARG_STRLEN: 32 pages (execve(2)).
func argumentLimit() int64 { return 32 * int64(os.Getpagesize()) }
