package subprocesslocal

import "github.com/dsh-go/dsh/sandbox"

var host = sandbox.Host{FirstFD: firstFD, OnThread: true}
