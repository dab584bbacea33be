//go:build unix

package sandboxtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

// pretendArg makes the test binary answer a plan as a perfect sandbox would,
// without attempting anything.
const pretendArg = "sandboxtest-pretend"

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 3 && os.Args[1] == pretendArg:
		os.Exit(pretend(os.Args[2]))
	case len(os.Args) > 2 && os.Args[1] == apartArg:
		os.Exit(runApart(os.Args[2:]))
	}
	// Under the race detector each of the many probes would wait at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	Main(m)
}

func pretend(plan string) int {
	trials, err := readPlan(plan)
	if err != nil {
		return 1
	}
	out := json.NewEncoder(os.Stdout)
	for _, t := range trials {
		if err := out.Encode(result{ID: t.ID, Err: "refused"}); err != nil {
			return 1
		}
	}
	fmt.Println(lastLine)
	return 0
}

// fake is a provider that starts an argv of its choice and claims what it is
// told to claim. The rest of the contract it keeps.
type fake struct {
	argv    func(sandbox.Request) []string
	gaps    map[sandbox.Mode][]sandbox.Gap
	status  *sandbox.Status
	dialect sandbox.Dialect
}

func (f fake) Confine(ctx context.Context, req sandbox.Request) (*sandbox.Confinement, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := req.Policy.Validate(); err != nil {
		return nil, err
	}
	if !req.Policy.Mode.Confines() {
		return nil, sandbox.ErrFullAccess
	}
	gaps := f.gaps[req.Policy.Mode]
	c := &sandbox.Confinement{
		Argv:    f.argv(req),
		Env:     req.Env,
		Dialect: f.dialect,
		Report:  sandbox.Report{Runner: "fake", Enforcement: sandbox.EnforcementOf(gaps), Gaps: gaps},
	}
	if req.Host.FirstFD != 0 {
		c.Status = f.status
	}
	return c, nil
}

func asRequested(req sandbox.Request) []string { return req.Argv }

// pretending returns the argv of a sandbox that refuses everything.
func pretending(t *testing.T) func(sandbox.Request) []string {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return func(req sandbox.Request) []string {
		if len(req.Argv) == 3 && req.Argv[1] == probeArg {
			return []string{self, pretendArg, req.Argv[2]}
		}
		return req.Argv
	}
}

// recorder is a test that may fail.
type recorder struct {
	*testing.T
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// leaky is a spawner that passes on every descriptor of this process.
func leaky(ctx context.Context, l Launch) (Ended, error) { return run(ctx, l) }

func TestAProviderThatConfinesNothingIsFoundOut(t *testing.T) {
	r := &recorder{T: t}
	table := report(r, fake{argv: asRequested}, Options{Host: sandbox.Host{FirstFD: execFD}, Start: leaky})
	if len(r.errors) != len(table.Violations) || len(r.errors) == 0 {
		t.Fatalf("%d errors for %d violations", len(r.errors), len(table.Violations))
	}
	for _, cell := range table.Cells {
		want := Violated
		switch {
		case cell.Trials == 0:
			want = NotTriable
		case writable(cell.Mode, cell.Place) && cell.Effect != sandbox.EffectDeviceNode:
			want = Allowed
		case writable(cell.Mode, cell.Place) && cell.Trials == 1: // a whiteout is harmless
			want = Allowed
		}
		if cell.Verdict != want && !(cell.Effect == sandbox.EffectDeviceNode && cell.Verdict == Allowed && os.Geteuid() != 0) {
			t.Errorf("%s, %s in %s: %s", cell.Mode, cell.Effect, cell.Place, cell.Verdict)
		}
	}
	found := make(map[Cell]int)
	for _, v := range table.Violations {
		found[Cell{Mode: v.Mode, Effect: v.Effect, Place: v.Place}]++
		if v.Kind != UndeclaredGap {
			t.Errorf("%v", v)
		}
	}
	for _, cell := range table.Cells {
		n := found[Cell{Mode: cell.Mode, Effect: cell.Effect, Place: cell.Place}]
		if !writable(cell.Mode, cell.Place) && n != cell.Trials {
			t.Errorf("%s, %s in %s: %d of %d attempts were found out", cell.Mode, cell.Effect, cell.Place, n, cell.Trials)
		}
	}
	nothingLeft(t)
}

func TestRowsOfTheTable(t *testing.T) {
	attempted := make(map[sandbox.Effect]bool)
	for _, a := range catalog() {
		attempted[a.effect] = true
		if !slices.Contains(effects, a.effect) {
			t.Errorf("%s is attempted and has no row", a.effect)
		}
	}
	for _, effect := range effects {
		if !attempted[effect] && runtime.GOOS == "linux" {
			t.Errorf("%s has a row and is not attempted", effect)
		}
	}
}

func TestClaimsOfAPerfectSandbox(t *testing.T) {
	gap := sandbox.Gap{Effect: sandbox.EffectMode, Place: sandbox.PlaceOutside, Reason: "so it says"}
	provider := fake{argv: pretending(t), gaps: map[sandbox.Mode][]sandbox.Gap{sandbox.ReadOnly: {gap}}}
	table, err := Measure(t.Context(), provider, Options{Limits: []sandbox.Effect{sandbox.EffectMkdir}})
	if err != nil {
		t.Fatal(err)
	}
	useless := make(map[sandbox.Effect]bool)
	for _, v := range table.Violations {
		switch {
		case v.Kind == UnobservedGap && v.Mode == sandbox.ReadOnly && v.Effect == gap.Effect && v.Place == gap.Place:
			gap.Effect = "" // once
		case v.Kind == Useless && v.Mode == sandbox.WorkspaceWrite && writable(v.Mode, v.Place):
			useless[v.Effect] = true
		default:
			t.Errorf("%v", v)
		}
	}
	if gap.Effect != "" {
		t.Error("the gap that is none was believed")
	}
	for _, effect := range []sandbox.Effect{sandbox.EffectCreate, sandbox.EffectRenameAcross, sandbox.EffectMode, sandbox.EffectTimes} {
		if !useless[effect] {
			t.Errorf("a sandbox in which %s does not work was believed to be of use", effect)
		}
	}
	if useless[sandbox.EffectMkdir] {
		t.Error("a documented limit was held against it")
	}
	nothingLeft(t)
}

func TestAStatusThatLies(t *testing.T) {
	status := &sandbox.Status{Read: func([]byte) sandbox.StartState { return sandbox.CommandNotStarted }}
	table, err := Measure(t.Context(), fake{argv: pretending(t), status: status}, Options{Modes: []sandbox.Mode{sandbox.ReadOnly}})
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Violations) == 0 || table.Violations[0].Kind != Broken {
		t.Errorf("%v", table.Violations)
	}
}

func TestAProbeThatDidNotRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, argv := range map[string][]string{
		"cut short": {self, "-test.run=^$"},
		"failed":    {self, probeArg, "no such plan"},
	} {
		provider := fake{argv: func(sandbox.Request) []string { return argv }}
		if _, err := Measure(t.Context(), provider, Options{}); !errors.Is(err, ErrProbe) {
			t.Errorf("%s: %v", name, err)
		}
	}
	nothingLeft(t)
}

func TestAnswersMustBeComplete(t *testing.T) {
	trials := []trial{{ID: 1}, {ID: 2}}
	const first, second, other = `{"ID":1}` + "\n", `{"ID":2,"Err":"x"}` + "\n", `{"ID":3}` + "\n"
	for name, output := range map[string]string{
		"one trial is missing": first + lastLine + "\n",
		"another one answers":  first + other + lastLine + "\n",
		"no last line":         first + second,
		"nothing":              "",
	} {
		if _, err := parse(output, trials); !errors.Is(err, ErrProbe) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := parse(first+second+lastLine+"\n", trials); err != nil || got[1].Err != "x" {
		t.Errorf("%v, %+v", err, got)
	}
}

// nothingLeft looks for files and mounts of a suite.
func nothingLeft(t *testing.T) {
	t.Helper()
	trace := fmt.Sprintf("dsh-conformance-%d-", os.Getpid())
	home, _ := os.UserHomeDir()
	for _, dir := range []string{"/var/tmp", "/tmp", "/dev", "/dev/shm", home} {
		for _, pattern := range []string{trace, "." + trace} {
			if found, _ := filepath.Glob(filepath.Join(dir, pattern+"*")); len(found) > 0 {
				t.Errorf("left behind: %q", found)
			}
		}
	}
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err == nil && strings.Contains(string(mounts), trace) {
		t.Errorf("left mounted:\n%s", mounts)
	}
}
