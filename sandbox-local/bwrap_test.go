package sandboxlocal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/capability"
)

var (
	rootUser     = caller{root: true, held: ^capability.Set(0)}
	ordinaryOne  = caller{}
	bwrapProgram = program{path: "/usr/bin/bwrap", canonical: "/usr/bin/bwrap"}
)

// aCall is what newCall makes of a request, on a machine that has the paths.
func aCall(mode sandbox.Mode, host sandbox.Host, env map[string]string) *call {
	c := &call{
		Request: sandbox.Request{
			Argv: []string{"/bin/bash", "-c", "true"}, Host: host, Env: env,
			Policy: sandbox.Policy{Mode: mode, WorkspaceRoot: "/srv/w"},
		},
		dir: "/srv/w/sub", workspace: "/srv/w", temp: "/tmp",
	}
	if mode == sandbox.WorkspaceWrite {
		c.writable = []string{"/srv/w", "/tmp"}
	}
	return c
}

func TestBwrapArgv(t *testing.T) {
	const (
		base = "--new-session --die-with-parent --unshare-pid --unshare-ipc " +
			"--ro-bind / / --dev /dev --remount-ro /dev --proc /proc"
		root = " --remount-ro /proc --cap-drop ALL --cap-add CAP_CHOWN --cap-add CAP_DAC_OVERRIDE" +
			" --cap-add CAP_FOWNER --cap-add CAP_FSETID --cap-add CAP_KILL --cap-add CAP_SETGID" +
			" --cap-add CAP_SETUID --cap-add CAP_NET_BIND_SERVICE --cap-add CAP_NET_RAW"
		write = " --tmpfs /dev/shm --tmpfs /tmp --bind /srv/w /srv/w"
		end   = " --chdir /srv/w/sub -- /bin/bash -c true"
	)
	tests := []struct {
		name string
		who  caller
		mode sandbox.Mode
		want string
	}{
		{"read-only, ordinary", ordinaryOne, sandbox.ReadOnly, base + end},
		{"read-only, root", rootUser, sandbox.ReadOnly, base + root + end},
		{"workspace-write, ordinary", ordinaryOne, sandbox.WorkspaceWrite, base + write + end},
		{"workspace-write, root", rootUser, sandbox.WorkspaceWrite, base + root + write + end},
		{
			"root without capabilities",
			caller{root: true},
			sandbox.ReadOnly,
			base + " --remount-ro /proc --cap-drop ALL" + end,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := (&bwrap{program: bwrapProgram, caller: tt.who}).confine(aCall(tt.mode, sandbox.Host{}, nil))
			if err != nil {
				t.Fatal(err)
			}
			want := append([]string{"/usr/bin/bwrap"}, strings.Fields(tt.want)...)
			if diff := cmp.Diff(want, c.Argv); diff != "" {
				t.Errorf("argv (-want +got):\n%s", diff)
			}
			if err := c.Check(sandbox.Host{}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBwrapKeepsValuesOutOfTheArgv(t *testing.T) {
	env := map[string]string{"LD_PRELOAD": "secret-1", "BASH_ENV": "secret-2\n", "PLAIN": "3"}
	c, err := (&bwrap{program: bwrapProgram, caller: ordinaryOne}).confine(aCall(sandbox.ReadOnly, sandbox.Host{FirstFD: 7}, env))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/usr/bin/bwrap", "--args", "7", "--json-status-fd", "8"}, c.Argv[:5]); diff != "" {
		t.Errorf("argv (-want +got):\n%s", diff)
	}
	if joined := strings.Join(c.Argv, " "); strings.Contains(joined, "secret") {
		t.Errorf("a value stands in %q", joined)
	}
	want := "--setenv\x00BASH_ENV\x00secret-2\n\x00--setenv\x00LD_PRELOAD\x00secret-1\x00"
	if len(c.Inputs) != 1 || string(c.Inputs[0]) != want {
		t.Errorf("inputs %q", c.Inputs)
	}
	if diff := cmp.Diff(map[string]string{"PLAIN": "3"}, c.Env); diff != "" {
		t.Errorf("env (-want +got):\n%s", diff)
	}
}

func TestBwrapFilter(t *testing.T) {
	b := &bwrap{program: bwrapProgram, caller: rootUser, filter: []byte("program")}
	tests := []struct {
		mode sandbox.Mode
		host sandbox.Host
		want bool
	}{
		{sandbox.ReadOnly, sandbox.Host{FirstFD: 3}, true},
		{sandbox.ReadOnly, sandbox.Host{}, false},
		{sandbox.WorkspaceWrite, sandbox.Host{FirstFD: 3}, false},
	}
	for _, tt := range tests {
		c, err := b.confine(aCall(tt.mode, tt.host, nil))
		if err != nil {
			t.Fatal(err)
		}
		filtered := len(c.Inputs) == 1 && string(c.Inputs[0]) == "program" &&
			cmp.Equal(c.Argv[1:5], []string{"--seccomp", "3", "--json-status-fd", "4"})
		full := c.Report.Enforcement == sandbox.Full
		if filtered != tt.want || full != tt.want {
			t.Errorf("%s, %+v: filtered %v, full %v", tt.mode, tt.host, filtered, full)
		}
	}
}

func TestBwrapWithoutDescriptors(t *testing.T) {
	env := map[string]string{"BASH_ENV": "/x"}
	c, err := (&bwrap{program: bwrapProgram, caller: ordinaryOne}).confine(aCall(sandbox.ReadOnly, sandbox.Host{}, env))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"--setenv", "BASH_ENV", "/x"}, c.Argv[1:4]); diff != "" {
		t.Errorf("argv (-want +got):\n%s", diff)
	}
	if c.Status != nil || c.Inputs != nil {
		t.Error("descriptors were asked for")
	}
}

func TestBwrapHidesDirectories(t *testing.T) {
	tests := []struct {
		mode           sandbox.Mode
		dir, workspace string
		under          string // empty: visible
	}{
		{sandbox.ReadOnly, "/tmp/x", "/srv/w", ""},
		{sandbox.ReadOnly, "/dev/shm", "/srv/w", "/dev"},
		{sandbox.ReadOnly, "/proc/1", "/srv/w", "/proc"},
		{sandbox.ReadOnly, "/dev/shm/w", "/dev/shm/w", "/dev"},
		{sandbox.ReadOnly, "/device", "/srv/w", ""},
		{sandbox.WorkspaceWrite, "/tmp", "/srv/w", ""},
		{sandbox.WorkspaceWrite, "/tmp/x", "/srv/w", "/tmp"},
		{sandbox.WorkspaceWrite, "/tmp", "/tmp/w", ""},
		{sandbox.WorkspaceWrite, "/tmp/a", "/tmp/a/w", "/tmp"},
		{sandbox.WorkspaceWrite, "/tmp/w", "/tmp/w", ""},
		{sandbox.WorkspaceWrite, "/tmp/w/sub", "/tmp/w", ""},
		{sandbox.WorkspaceWrite, "/tmp/wide", "/tmp/w", "/tmp"},
		{sandbox.WorkspaceWrite, "/tmp/x", "/tmp", ""},
		{sandbox.WorkspaceWrite, "/dev/shm/w", "/dev/shm/w", ""},
	}
	for _, tt := range tests {
		c := aCall(tt.mode, sandbox.Host{}, nil)
		c.dir, c.workspace = tt.dir, tt.workspace
		_, err := (&bwrap{program: bwrapProgram, caller: ordinaryOne}).confine(c)
		var hidden *HiddenDirError
		switch {
		case tt.under == "" && err != nil:
			t.Errorf("%s %s in %s: %v", tt.mode, tt.dir, tt.workspace, err)
		case tt.under != "" && (!asError(err, &hidden) || hidden.Under != tt.under || hidden.Dir != tt.dir):
			t.Errorf("%s %s in %s: %v", tt.mode, tt.dir, tt.workspace, err)
		}
	}
}

func TestBwrapStatus(t *testing.T) {
	const born = `{ "child-pid": 42, "mnt-namespace": 7 }` + "\n"
	tests := []struct {
		name, report string
		start        sandbox.StartState
		leader       int
	}{
		{"nothing", "", sandbox.CommandNotStarted, 0},
		{"a child alone", born, sandbox.CommandNotStarted, 42},
		{"an exit code", born + `{ "exit-code": 0 }` + "\n", sandbox.CommandStarted, 42},
		{"a torn child", born[:9], sandbox.StartUnknown, 0},
		{"a torn exit code", born + `{ "exit-c`, sandbox.StartUnknown, 42},
		{"something else", "bwrap", sandbox.StartUnknown, 0},
		{"no process", `{"child-pid":-1}`, sandbox.CommandNotStarted, 0},
		{"the first process", `{"child-pid":1}`, sandbox.CommandNotStarted, 0},
	}
	for _, tt := range tests {
		status := bwrapStatus()
		if got := status.Read([]byte(tt.report)); got != tt.start {
			t.Errorf("%s: %v", tt.name, got)
		}
		if got := status.Leader([]byte(tt.report)); got != tt.leader {
			t.Errorf("%s: leader %d", tt.name, got)
		}
	}
}

func FuzzBwrapStatus(f *testing.F) {
	f.Add([]byte(`{ "child-pid": 42 }{ "exit-code": 0 }`), 20)
	f.Fuzz(func(t *testing.T, report []byte, cut int) {
		status := bwrapStatus()
		if leader := status.Leader(report); leader < 0 || leader == 1 {
			t.Errorf("leader %d", leader)
		}
		// What comes later never takes back that the command ran.
		if cut >= 0 && cut < len(report) && status.Read(report[:cut]) == sandbox.CommandStarted &&
			status.Read(report) != sandbox.CommandStarted {
			t.Errorf("%q took back %q", report[cut:], report[:cut])
		}
	})
}

func TestBwrapNamesTheGapsOfDeviceNodes(t *testing.T) {
	labeller := caller{labels: true} // on a kernel that lets anybody label
	for _, tt := range []struct {
		who      caller
		filtered bool
		want     []sandbox.Effect
	}{
		{ordinaryOne, true, nil},
		{ordinaryOne, false, []sandbox.Effect{sandbox.EffectTimes}},
		{labeller, true, []sandbox.Effect{sandbox.EffectXattr}},
		{labeller, false, []sandbox.Effect{sandbox.EffectTimes, sandbox.EffectXattr}},
		{rootUser, true, nil},
		{rootUser, false, []sandbox.Effect{sandbox.EffectMode, sandbox.EffectOwner, sandbox.EffectTimes, sandbox.EffectXattr}},
	} {
		report := (&bwrap{caller: tt.who}).report(tt.filtered)
		var effects []sandbox.Effect
		for _, gap := range report.Gaps {
			effects = append(effects, gap.Effect)
			if gap.Place != sandbox.PlaceDev || gap.Reason == "" {
				t.Errorf("%+v", gap)
			}
		}
		if diff := cmp.Diff(tt.want, effects); diff != "" || report.Enforcement != sandbox.EnforcementOf(report.Gaps) {
			t.Errorf("%+v, filtered: %v: %+v\n%s", tt.who, tt.filtered, report, diff)
		}
	}
}
