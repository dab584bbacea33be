package subprocesslocal

import "golang.org/x/sys/unix"

// unreadBytes is the request behind FIONREAD (pipe(7)).
const unreadBytes = unix.TIOCINQ
