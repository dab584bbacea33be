package sandboxpolicy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

func modeOf(t *testing.T, p *Policies, session string) sandbox.Mode {
	t.Helper()
	policy, err := p.Resolve(sandbox.PolicyRequest{SessionID: session})
	if err != nil {
		t.Fatal(err)
	}
	return policy.Mode
}

func setMode(t *testing.T, p *Policies, session string, mode sandbox.Mode) {
	t.Helper()
	if err := p.SetMode(t.Context(), session, mode); err != nil {
		t.Fatal(err)
	}
}

func openLog(t *testing.T, path string) *FileLog {
	t.Helper()
	log, err := OpenFileLog(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return log
}

func TestTheLastEventOfASessionIsItsMode(t *testing.T) {
	t.Chdir(canonicalTempDir(t))
	p := newPolicies(t, Config{})
	setMode(t, p, "a", sandbox.DangerFullAccess)
	setMode(t, p, "b", sandbox.WorkspaceWrite)
	setMode(t, p, "a", sandbox.WorkspaceWrite)
	setMode(t, p, "b", sandbox.ReadOnly)
	for session, want := range map[string]sandbox.Mode{
		"a": sandbox.WorkspaceWrite, "b": sandbox.ReadOnly, "c": sandbox.ReadOnly, "": sandbox.ReadOnly,
	} {
		if got := modeOf(t, p, session); got != want {
			t.Errorf("session %q is in %s, want %s", session, got, want)
		}
	}
	policy, err := p.Resolve(sandbox.PolicyRequest{SessionID: "b", Mode: sandbox.DangerFullAccess})
	if err != nil || policy.Mode != sandbox.DangerFullAccess {
		t.Errorf("an approved mode: %+v, %v", policy, err)
	}
	if got := modeOf(t, p, "b"); got != sandbox.ReadOnly {
		t.Errorf("after an approved call the session is in %s", got)
	}
}

func TestModesSurviveARestart(t *testing.T) {
	t.Chdir(canonicalTempDir(t))
	path := filepath.Join(t.TempDir(), "log")
	log := openLog(t, path)
	p := newPolicies(t, Config{Log: log})
	setMode(t, p, "a", sandbox.WorkspaceWrite)
	setMode(t, p, "b", sandbox.WorkspaceWrite)
	setMode(t, p, "a", sandbox.ReadOnly)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	again := newPolicies(t, Config{Mode: sandbox.WorkspaceWrite, Log: openLog(t, path)})
	if a, b := modeOf(t, again, "a"), modeOf(t, again, "b"); a != sandbox.ReadOnly || b != sandbox.WorkspaceWrite {
		t.Errorf("a is in %s, b in %s", a, b)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 3 || !strings.HasPrefix(string(text), `{"type":"sandbox/mode","sessionId":"a","mode":"workspace-write","time":"`) {
		t.Errorf("the log holds %q, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestAForgedModeIsRefused(t *testing.T) {
	t.Chdir(canonicalTempDir(t))
	p := newPolicies(t, Config{})
	for _, mode := range []sandbox.Mode{"", "everything", "READ-ONLY"} {
		var invalid *sandbox.InvalidPolicyError
		if err := p.SetMode(t.Context(), "a", mode); !errors.As(err, &invalid) || invalid.Mode != mode {
			t.Errorf("SetMode(%q): %v", mode, err)
		}
	}
	if err := p.SetMode(t.Context(), "", sandbox.ReadOnly); !errors.Is(err, ErrNoSession) {
		t.Errorf("for nobody: %v", err)
	}
	for name, line := range map[string]string{
		"a mode that is none": `{"type":"sandbox/mode","sessionId":"a","mode":"everything"}`,
		"no mode":             `{"type":"sandbox/mode","sessionId":"a"}`,
		"no session":          `{"type":"sandbox/mode","mode":"read-only"}`,
		"no JSON":             `sandbox/mode a danger-full-access`,
		"no type":             `{"mode":"danger-full-access"}`,
		"a torn line inside":  `{"type":"sandbox/mo`,
		"an empty line":       ``,
		"two events":          `{"type":"x"}{"type":"y"}`,
	} {
		path := filepath.Join(t.TempDir(), "log")
		good := `{"type":"sandbox/mode","sessionId":"a","mode":"read-only"}`
		if err := os.WriteFile(path, []byte(good+"\n"+line+"\n"+good+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := New(Config{Log: openLog(t, path)})
		var bad *EventError
		if !errors.As(err, &bad) || bad.Number != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEventsOfOthersAreLeftAlone(t *testing.T) {
	t.Chdir(canonicalTempDir(t))
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(`{"type":"session/start","anything":[1]}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPolicies(t, Config{Log: openLog(t, path)})
	if got := modeOf(t, p, "a"); got != sandbox.ReadOnly {
		t.Errorf("mode %s", got)
	}
}

func TestATornLastLineIsReportedAndReplaced(t *testing.T) {
	t.Chdir(canonicalTempDir(t))
	path := filepath.Join(t.TempDir(), "log")
	whole := `{"type":"sandbox/mode","sessionId":"a","mode":"workspace-write"}` + "\n"
	torn := `{"type":"sandbox/mode","sessionId":"a","mode":"dange`
	if err := os.WriteFile(path, []byte(whole+torn), 0o600); err != nil {
		t.Fatal(err)
	}
	log := openLog(t, path)
	if log.Torn() != torn {
		t.Errorf("reports %q", log.Torn())
	}
	p := newPolicies(t, Config{Log: log})
	if got := modeOf(t, p, "a"); got != sandbox.WorkspaceWrite {
		t.Errorf("mode %s", got)
	}
	setMode(t, p, "a", sandbox.ReadOnly)
	again := openLog(t, path)
	if again.Torn() != "" || modeOf(t, newPolicies(t, Config{Log: again}), "a") != sandbox.ReadOnly {
		t.Error("the log is not whole again")
	}
}

// full is a log that refuses.
type full struct{ memoryLog }

var errFull = errors.New("disk full")

func (f *full) Append(context.Context, Event) error { return errFull }

func TestAModeThatIsNotKeptIsNotInForce(t *testing.T) {
	t.Chdir(canonicalTempDir(t))
	p := newPolicies(t, Config{Log: &full{}})
	if err := p.SetMode(t.Context(), "a", sandbox.DangerFullAccess); !errors.Is(err, errFull) {
		t.Errorf("SetMode: %v", err)
	}
	if got := modeOf(t, p, "a"); got != sandbox.ReadOnly {
		t.Errorf("mode %s", got)
	}
}

func TestManySessionsAtOnce(t *testing.T) {
	t.Chdir(canonicalTempDir(t))
	path := filepath.Join(t.TempDir(), "log")
	p := newPolicies(t, Config{Log: openLog(t, path)})
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			session := fmt.Sprint(i)
			for _, mode := range []sandbox.Mode{sandbox.DangerFullAccess, sandbox.WorkspaceWrite} {
				if err := p.SetMode(t.Context(), session, mode); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	again := newPolicies(t, Config{Log: openLog(t, path)})
	for i := range 20 {
		if got := modeOf(t, again, fmt.Sprint(i)); got != sandbox.WorkspaceWrite {
			t.Errorf("session %d is in %s", i, got)
		}
	}
}

func TestASessionsRootIsImmutable(t *testing.T) {
	dir := canonicalTempDir(t)
	t.Chdir(dir)
	mkdir(t, "one")
	mkdir(t, "two")
	p := newPolicies(t, Config{})
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	if _, err := p.Resolve(sandbox.PolicyRequest{SessionID: "a", Dir: one}); err != nil {
		t.Fatal(err)
	}
	_, err := p.Resolve(sandbox.PolicyRequest{SessionID: "a", Dir: two})
	var changed *RootChangedError
	if !errors.As(err, &changed) || changed.Root != one || changed.Asked != two {
		t.Errorf("another directory: %v", err)
	}
	for _, req := range []sandbox.PolicyRequest{{SessionID: "a"}, {SessionID: "a", Dir: one}, {SessionID: "a", Mode: sandbox.WorkspaceWrite}} {
		if policy, err := p.Resolve(req); err != nil || policy.WorkspaceRoot != one {
			t.Errorf("%+v: %+v, %v", req, policy, err)
		}
	}
	if policy, err := p.Resolve(sandbox.PolicyRequest{SessionID: "b", Dir: two}); err != nil || policy.WorkspaceRoot != two {
		t.Errorf("another session: %+v, %v", policy, err)
	}
}

func TestDescribe(t *testing.T) {
	dir := canonicalTempDir(t)
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite, sandbox.DangerFullAccess} {
		text := Describe(sandbox.Policy{Mode: mode, WorkspaceRoot: dir})
		if !strings.HasPrefix(text, "Sandbox mode: "+string(mode)+".") || !strings.HasSuffix(text, "\n") {
			t.Errorf("%s: %q", mode, text)
		}
		if names := strings.Contains(text, dir); names != (mode == sandbox.WorkspaceWrite) {
			t.Errorf("%s: names the workspace: %v", mode, names)
		}
	}
}
