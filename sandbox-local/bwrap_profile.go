package sandboxlocal

import (
	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/capability"
)

// bwrapProfile returns the options, in the order in which bwrap acts on them,
// that hold the call's mode.
//
// The command gets a session of its own: one that signals its own group would
// otherwise take the runner down and make its start look as if it had failed.
func bwrapProfile(who caller, c *call) []string {
	args := []string{
		"--new-session", "--die-with-parent", "--unshare-pid", "--unshare-ipc",
		"--ro-bind", "/", "/", "--dev", "/dev", "--remount-ro", "/dev", "--proc", "/proc",
	}
	if who.root {
		args = append(args, rootOptions(who)...)
	}
	if c.Policy.Mode == sandbox.WorkspaceWrite {
		args = append(args, "--tmpfs", "/dev/shm", "--tmpfs", c.temp, "--bind", c.workspace, c.workspace)
	}
	return append(args, "--chdir", c.dir)
}

// rootOptions take from root what reaches the host in spite of read-only
// mounts: the kernel settings in /proc/sys, which user 0 may write without any
// capability, and the capabilities to remount and to reopen by handle. For
// anybody else /proc stays writable, because a nested user namespace needs its
// identity maps, and there are no capabilities to drop.
func rootOptions(who caller) []string {
	args := []string{"--remount-ro", "/proc", "--cap-drop", "ALL"}
	for _, name := range capability.KeptNames(who.held) {
		args = append(args, "--cap-add", name)
	}
	return args
}

// bwrapWritable are the directories that the command can write to, as it sees
// them: its /tmp is empty, so that nothing beneath the host's counts.
func bwrapWritable(c *call) []string {
	if c.Policy.Mode != sandbox.WorkspaceWrite {
		return nil
	}
	return []string{c.workspace}
}

// checkVisible refuses a working directory over which the profile lays a file
// system of its own. The laid-over directory itself exists inside, too.
func checkVisible(name string, c *call) error {
	covers := []string{"/dev", "/proc"}
	if c.Policy.Mode == sandbox.WorkspaceWrite {
		covers = append(covers, c.temp)
		if sandbox.Within(c.dir, []string{c.workspace}) {
			return nil
		}
	}
	for _, cover := range covers {
		if c.dir != cover && sandbox.Within(c.dir, []string{cover}) {
			return &HiddenDirError{Runner: name, Dir: c.dir, Under: cover}
		}
	}
	return nil
}
