package main

import (
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
)

var ways = []way{
	{name: "Landlock in thread, read-only", runner: sandboxlocal.Landlock, mode: sandbox.ReadOnly, toBare: 1.20},
	{name: "Landlock in thread, workspace-write", runner: sandboxlocal.Landlock, mode: sandbox.WorkspaceWrite},
	{
		name: "Landlock launcher, read-only", raw: "raw landlock-run, read-only", runner: sandboxlocal.Landlock, launcher: true,
		mode: sandbox.ReadOnly,
	},
	{name: "bwrap, read-only", raw: "raw bwrap, read-only", runner: sandboxlocal.Bwrap, mode: sandbox.ReadOnly, toRaw: 1.08},
	{
		name: "bwrap, workspace-write", raw: "raw bwrap, workspace-write", runner: sandboxlocal.Bwrap, mode: sandbox.WorkspaceWrite,
		toRaw: 1.08,
	},
}
