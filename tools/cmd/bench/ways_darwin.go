package main

import (
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
)

var ways = []way{
	{name: "Seatbelt, read-only", raw: "raw sandbox-exec, read-only", runner: sandboxlocal.Seatbelt, mode: sandbox.ReadOnly},
	{
		name: "Seatbelt, workspace-write", raw: "raw sandbox-exec, workspace-write", runner: sandboxlocal.Seatbelt,
		mode: sandbox.WorkspaceWrite,
	},
}
