// Package remedy says what to do about a runner that cannot be used on a Linux
// machine. It looks at the machine's settings, so that the first thing it says
// is the one that is wrong here.
package remedy

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// Machine is what is looked at.
type Machine struct {
	// Root is the root of the file system.
	Root fs.FS
	// EUID is the effective user id.
	EUID int
	// LookPath finds a program, like [exec.LookPath].
	LookPath func(string) (string, error)
}

// This is the machine that the program runs on.
func This() Machine {
	return Machine{Root: os.DirFS("/"), EUID: os.Geteuid(), LookPath: exec.LookPath}
}

// Bwrap says what to do about a bubblewrap that cannot be used.
func (m Machine) Bwrap() string {
	if _, err := m.LookPath("bwrap"); err != nil {
		return "install bubblewrap: apt install bubblewrap, dnf install bubblewrap or apk add bubblewrap"
	}
	var todo []string
	if m.setting("user/max_user_namespaces") == "0" {
		todo = append(todo, "let there be user namespaces: sysctl -w user.max_user_namespaces=15000")
	}
	if m.EUID != 0 && m.setting("kernel/unprivileged_userns_clone") == "0" {
		todo = append(todo, "let ordinary users make user namespaces: sysctl -w kernel.unprivileged_userns_clone=1")
	}
	if m.EUID != 0 && m.setting("kernel/apparmor_restrict_unprivileged_userns") == "1" {
		todo = append(todo, "let bwrap make user namespaces, which AppArmor forbids here: load a profile for it with the rule "+
			"\"userns\" (Ubuntu's package apparmor-profiles has bwrap-userns-restrict), or, for every program, "+
			"sysctl -w kernel.apparmor_restrict_unprivileged_userns=0")
	}
	if m.inContainer() {
		todo = append(todo, "start the container with what bwrap needs: docker run --security-opt seccomp=unconfined "+
			"--security-opt apparmor=unconfined --security-opt systempaths=unconfined, "+
			"or podman run --security-opt unmask=ALL")
	}
	if len(todo) == 0 {
		return "see that user namespaces are allowed: no setting that is known to forbid them is in force, " +
			"so look into the log of the kernel and of the security modules"
	}
	return strings.Join(todo, "; ")
}

// The first kernel with Landlock.
const landlockMajor, landlockMinor = 5, 13

// Landlock says what to do about a kernel whose Landlock cannot be used.
func (m Machine) Landlock() string {
	release := m.setting("kernel/osrelease")
	if major, minor, ok := version(release); ok && (major < landlockMajor || major == landlockMajor && minor < landlockMinor) {
		return fmt.Sprintf("run Linux %d.%d or later: this is %s", landlockMajor, landlockMinor, release)
	}
	if modules := m.securityModules(); modules != nil && !slices.Contains(modules, "landlock") {
		return fmt.Sprintf("boot with lsm=landlock,%s, on a kernel with CONFIG_SECURITY_LANDLOCK: "+
			"the security modules of this one are %[1]s", strings.Join(modules, ","))
	}
	if m.inContainer() {
		return "let the container's system-call filter allow landlock_create_ruleset, landlock_add_rule and " +
			"landlock_restrict_self, as recent versions of docker and podman do"
	}
	return fmt.Sprintf("run a kernel with CONFIG_SECURITY_LANDLOCK and with landlock in the list lsm= of its command line, "+
		"and let no system-call filter refuse the landlock_* calls: this is %s", release)
}

// setting reads a file beneath /proc/sys. It is empty where there is none.
func (m Machine) setting(name string) string { return m.read("proc/sys/" + name) }

// securityModules are those that are active. They are nil where securityfs is
// not mounted, as in most containers.
func (m Machine) securityModules() []string {
	list := m.read("sys/kernel/security/lsm")
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// containerMarks are files that docker, podman and systemd-nspawn or LXC make.
var containerMarks = []string{".dockerenv", "run/.containerenv", "run/systemd/container"}

func (m Machine) inContainer() bool {
	return slices.ContainsFunc(containerMarks, func(mark string) bool {
		_, err := fs.Stat(m.Root, mark)
		return err == nil
	})
}

func (m Machine) read(path string) string {
	content, err := fs.ReadFile(m.Root, path)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(content))
}

// version reads the beginning of a kernel's release ("6.1.0-28-amd64").
func version(release string) (major, minor int, ok bool) {
	first, rest, _ := strings.Cut(release, ".")
	second := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	major, errMajor := strconv.Atoi(first)
	minor, errMinor := strconv.Atoi(second)
	return major, minor, errMajor == nil && errMinor == nil
}
