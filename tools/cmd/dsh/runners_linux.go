package main

import sandboxlocal "github.com/dsh-go/dsh/sandbox-local"

// systemRunners are the runners of this system, in the order of selection.
var systemRunners = []string{sandboxlocal.Bwrap, sandboxlocal.Landlock}

var remedies = map[string]string{
	sandboxlocal.Bwrap: "install bubblewrap (apt install bubblewrap, dnf install bubblewrap) and, unless you are root, " +
		"allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces; " +
		"on Ubuntu 23.10 and later kernel.apparmor_restrict_unprivileged_userns or an AppArmor profile for bwrap)",
	sandboxlocal.Landlock: "run Linux 5.13 or later with CONFIG_SECURITY_LANDLOCK and with landlock in the lsm= kernel parameter; " +
		"in a container, allow the landlock_* system calls",
}
