package remedy

import (
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
)

// machine has the files of that content.
func machine(euid int, installed bool, files map[string]string) Machine {
	root := fstest.MapFS{}
	for name, content := range files {
		root[name] = &fstest.MapFile{Data: []byte(content + "\n")}
	}
	return Machine{Root: root, EUID: euid, LookPath: func(name string) (string, error) {
		if !installed {
			return "", exec.ErrNotFound
		}
		return "/usr/bin/" + name, nil
	}}
}

func TestTheRemedyIsAboutWhatIsWrong(t *testing.T) {
	const (
		restrict = "proc/sys/kernel/apparmor_restrict_unprivileged_userns"
		clone    = "proc/sys/kernel/unprivileged_userns_clone"
		most     = "proc/sys/user/max_user_namespaces"
		release  = "proc/sys/kernel/osrelease"
		modules  = "sys/kernel/security/lsm"
	)
	files := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	tests := []struct {
		name      string
		machine   Machine
		landlock  bool
		says      []string
		saysNever []string
	}{
		{"no bwrap", machine(1000, false, files(restrict, "1")), false, []string{"apt install bubblewrap"}, []string{"AppArmor"}},
		{"Ubuntu", machine(1000, true, files(restrict, "1", clone, "1", most, "60000")), false, []string{"AppArmor", "kernel.apparmor_restrict_unprivileged_userns=0"}, []string{"unprivileged_userns_clone", "docker"}},
		{"Ubuntu, as root", machine(0, true, files(restrict, "1")), false, []string{"no setting that is known"}, []string{"AppArmor"}},
		{"an old Debian", machine(1000, true, files(clone, "0")), false, []string{"kernel.unprivileged_userns_clone=1"}, []string{"AppArmor"}},
		{"no namespaces at all", machine(0, true, files(most, "0")), false, []string{"user.max_user_namespaces="}, []string{"no setting"}},
		{"docker", machine(0, true, files(".dockerenv", "")), false, []string{"systempaths=unconfined", "unmask=ALL"}, []string{"sysctl"}},
		{"podman on Ubuntu", machine(1000, true, files("run/.containerenv", "", restrict, "1")), false, []string{"AppArmor", "unmask=ALL"}, nil},
		{"nothing to be seen", machine(1000, true, nil), false, []string{"no setting that is known"}, nil},

		{"5.10", machine(0, true, files(release, "5.10.0-30-amd64", modules, "lockdown,apparmor")), true, []string{"5.13 or later", "5.10.0-30-amd64"}, []string{"lsm="}},
		{"4.19", machine(0, true, files(release, "4.19.0")), true, []string{"5.13 or later"}, nil},
		{"not in the list", machine(0, true, files(release, "6.1.0", modules, "lockdown,yama,apparmor")), true, []string{"lsm=landlock,lockdown,yama,apparmor"}, []string{"5.13"}},
		{"a filter", machine(0, true, files(release, "6.8.0", modules, "landlock,yama", ".dockerenv", "")), true, []string{"landlock_create_ruleset"}, []string{"lsm="}},
		{"a container without securityfs", machine(0, true, files(release, "5.15.0", "run/systemd/container", "lxc")), true, []string{"landlock_create_ruleset"}, nil},
		{"nothing to be seen", machine(0, true, files(release, "6.6.1-custom")), true, []string{"CONFIG_SECURITY_LANDLOCK", "6.6.1-custom"}, nil},
		{"a release that is none", machine(0, true, files(release, "custom")), true, []string{"CONFIG_SECURITY_LANDLOCK", "custom"}, nil},
	}
	for _, tt := range tests {
		got := tt.machine.Bwrap()
		if tt.landlock {
			got = tt.machine.Landlock()
		}
		for _, want := range tt.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q does not say %q", tt.name, got, want)
			}
		}
		for _, never := range tt.saysNever {
			if strings.Contains(got, never) {
				t.Errorf("%s: %q says %q", tt.name, got, never)
			}
		}
	}
}

func TestThisMachineIsLookedAt(t *testing.T) {
	for _, said := range []string{This().Bwrap(), This().Landlock()} {
		if said == "" {
			t.Error("nothing to do")
		}
	}
}
