//go:build unix

package sandboxtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

// apartArg makes the test binary a runner with a status: it runs a command as
// the leader of a session, and reports the number of that process. At the
// polite signal it takes the command down.
const apartArg = "sandboxtest-apart"

// apartReport is what the runner reports.
type apartReport struct {
	PID     int
	Started bool
}

func runApart(argv []string) int {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	status := os.NewFile(execFD, "status")
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, apartArg+":", err)
		return 125
	}
	if err := json.NewEncoder(status).Encode(apartReport{cmd.Process.Pid, true}); err != nil {
		return 125
	}
	status.Close()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() {
		<-signals
		_ = cmd.Process.Kill() // it may have ended
	}()
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		return 125
	}
	return cmd.ProcessState.ExitCode()
}

func readApart(report []byte) (r apartReport) {
	_ = json.Unmarshal(report, &r) // it may be incomplete
	return r
}

// apart is a provider with that runner.
func apart(t *testing.T) fake {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fake{
		argv: func(req sandbox.Request) []string {
			if req.Host.FirstFD == 0 {
				return req.Argv
			}
			return append([]string{self, apartArg}, req.Argv...)
		},
		status: &sandbox.Status{
			Read: func(report []byte) sandbox.StartState {
				if readApart(report).Started {
					return sandbox.CommandStarted
				}
				return sandbox.CommandNotStarted
			},
			Leader: func(report []byte) int { return readApart(report).PID },
		},
	}
}

// scripted is a provider with a runner that is a shell script.
func scripted(script string, dialect sandbox.Dialect) fake {
	return fake{dialect: dialect, argv: func(req sandbox.Request) []string {
		return append([]string{"/bin/sh", "-c", script, "runner"}, req.Argv...)
	}}
}

// refusing is the script of a runner that has every change fail.
const refusing = `[ "$2" = ` + witnessArg + ` ] && [ "$3" = ` + jobChange + ` ] || exec "$@"
echo "` + refusedPrefix + `open file: Read-only file system" >&2; exit 1`

// hiding is the script of one that hides what is to be changed.
const hiding = `[ "$2" = ` + witnessArg + ` ] && [ "$3" = ` + jobChange + ` ] || exec "$@"
exec "$1" "$2" "$3" "$4/hidden"`

// reading makes a runner's rules out of texts.
func reading(fatal ...string) sandbox.Dialect {
	return sandbox.Dialect{Failures: []sandbox.FailureRule{{Fatal: fatal}}}
}

// altered is a provider that answers otherwise.
type altered struct {
	sandbox.Provider
	answer func(ctx context.Context, req sandbox.Request, p sandbox.Provider) (*sandbox.Confinement, error)
}

func (a altered) Confine(ctx context.Context, req sandbox.Request) (*sandbox.Confinement, error) {
	return a.answer(ctx, req, a.Provider)
}

// answering is a provider that answers wrongly in place of an error, and
// otherwise as one should.
func answering(wrong error, instead func(context.Context, sandbox.Request) bool) altered {
	return altered{fake{argv: asRequested}, func(ctx context.Context, req sandbox.Request, p sandbox.Provider) (*sandbox.Confinement, error) {
		if !instead(ctx, req) {
			return p.Confine(ctx, req)
		}
		if wrong != nil {
			return nil, wrong
		}
		return &sandbox.Confinement{Argv: req.Argv, Report: sandbox.Report{Enforcement: sandbox.Full}}, nil
	}}
}

// changing is a provider that changes what another one answers.
func changing(p sandbox.Provider, change func(*sandbox.Confinement)) altered {
	return altered{p, func(ctx context.Context, req sandbox.Request, p sandbox.Provider) (*sandbox.Confinement, error) {
		c, err := p.Confine(ctx, req)
		if err == nil {
			change(c)
		}
		return c, err
	}}
}

func hasMode(mode sandbox.Mode) func(context.Context, sandbox.Request) bool {
	return func(_ context.Context, req sandbox.Request) bool { return req.Policy.Mode == mode }
}

func hasRoot(root string) func(context.Context, sandbox.Request) bool {
	return func(_ context.Context, req sandbox.Request) bool {
		return req.Policy.Mode != sandbox.DangerFullAccess && req.Policy.WorkspaceRoot == root
	}
}

func hasReason(reason error) func(context.Context, sandbox.Request) bool {
	return func(_ context.Context, req sandbox.Request) bool { return errors.Is(req.Policy.Validate(), reason) }
}

// TestBreachesAreFoundOut has a provider for each promise that keeps it, where
// the plain one does not show that, and some that break it.
func TestBreachesAreFoundOut(t *testing.T) {
	plain, withStatus := fake{argv: asRequested}, apart(t)
	whole := func(reason error) error { return &sandbox.InvalidPolicyError{Err: reason} }
	for _, test := range []struct {
		name     string
		check    func(context.Context, *examination) error
		provider sandbox.Provider
		keeps    bool
	}{
		{"an unknown mode confines", refusesWrongPolicies, answering(nil, hasMode("no-such-mode")), false},
		{"no mode confines", refusesWrongPolicies, answering(nil, hasMode("")), false},
		{"a relative root confines", refusesWrongPolicies, answering(nil, hasRoot(".")), false},
		{"no root confines", refusesWrongPolicies, answering(nil, hasRoot("")), false},
		{"a missing root confines", refusesWrongPolicies, answering(nil, hasReason(sandbox.ErrRootMissing)), false},
		{"a root that is a file confines", refusesWrongPolicies, answering(nil, hasReason(sandbox.ErrRootNotDirectory)), false},
		{"the root of everything confines", refusesWrongPolicies, answering(nil, hasReason(sandbox.ErrRootTooWide)), false},
		{"an error without a type", refusesWrongPolicies, answering(sandbox.ErrRootMissing, hasReason(sandbox.ErrRootMissing)), false},
		{"an error without operands", refusesWrongPolicies, answering(whole(sandbox.ErrRootMissing), hasReason(sandbox.ErrRootMissing)), false},
		{"a wrong policy as no sandbox", refusesWrongPolicies, answering(&sandbox.UnavailableError{}, hasReason(sandbox.ErrUnknownMode)), false},

		{"full access confines", refusesFullAccess, answering(nil, hasMode(sandbox.DangerFullAccess)), false},
		{"full access as no sandbox", refusesFullAccess, answering(&sandbox.UnavailableError{}, hasMode(sandbox.DangerFullAccess)), false},
		{"full access with a root that matters", refusesFullAccess, answering(whole(sandbox.ErrRootNotAbsolute), func(_ context.Context, req sandbox.Request) bool {
			return req.Policy == sandbox.Policy{Mode: sandbox.DangerFullAccess}
		}), false},

		{"a context that is not looked at", heedsContext, answering(nil, func(context.Context, sandbox.Request) bool { return true }), false},
		{"an ended context as no sandbox", heedsContext, answering(&sandbox.UnavailableError{}, func(ctx context.Context, _ sandbox.Request) bool {
			return ctx.Err() != nil
		}), false},

		{"a status that the host cannot give", asksNothingOfBareHost, changing(plain, func(c *sandbox.Confinement) { c.Status = withStatus.status }), false},
		{"a status where the host can give one", asksNothingOfBareHost, withStatus, true},
		{"no sandbox for a host that can do nothing", asksNothingOfBareHost, answering(&sandbox.UnavailableError{}, func(_ context.Context, req sandbox.Request) bool {
			return req.Host.FirstFD == 0
		}), true},

		{"entries that are lost", passesEnvironment, changing(plain, func(c *sandbox.Confinement) { c.Env = nil }), false},
		{"one that is lost", passesEnvironment, changing(plain, func(c *sandbox.Confinement) { delete(c.Env, "BASH_ENV") }), false},
		{"one that is not replaced", passesEnvironment, changing(plain, func(c *sandbox.Confinement) { delete(c.Env, replacedName) }), false},
		{"one that is not inherited", passesEnvironment, changing(plain, func(c *sandbox.Confinement) { c.Unset = []string{inheritedName} }), false},
		{"a runner that fails at them", passesEnvironment, scripted(`exit 1`, sandbox.Dialect{}), false},
		{"a runner that passes them on", passesEnvironment, scripted(`exec "$@"`, sandbox.Dialect{}), true},

		{"a command that starts elsewhere", keepsDirectory, scripted(`cd /; exec "$@"`, sandbox.Dialect{}), false},
		{"one that starts elsewhere when it is beside", keepsDirectory, scripted(`case "$PWD" in */beside/*) cd ..;; esac; exec "$@"`, sandbox.Dialect{}), false},
		{"one that cannot start in the workspace", keepsDirectory, scripted(`case "$PWD" in */workspace/*) exit 1;; esac; exec "$@"`, sandbox.Dialect{}), false},
		{"one that cannot start beside", keepsDirectory, scripted(`case "$PWD" in */beside/*) exit 1;; esac; exec "$@"`, sandbox.Dialect{}), true},

		{"a refusal's own words", knowsRefusals, scripted(refusing, sandbox.Dialect{Denials: []string{"read-only FILE system"}}), true},
		{"other words", knowsRefusals, scripted(refusing, sandbox.Dialect{Denials: []string{"permission denied"}}), false},
		{"no words", knowsRefusals, scripted(refusing, sandbox.Dialect{}), false},
		{"what is hidden", knowsRefusals, scripted(hiding, sandbox.Dialect{}), true},
		{"a runner that runs nothing", knowsRefusals, scripted("exit 9", sandbox.Dialect{}), false},
		{"an empty text", knowsRefusals, scripted(refusing, sandbox.Dialect{Denials: []string{"read-only file system", ""}}), false},

		{"an exit code that is lost", passesFailure, scripted(`"$@" || exit 1`, sandbox.Dialect{}), false},
		{"words that are lost", passesFailure, scripted(`exec "$@" 2>/dev/null`, sandbox.Dialect{}), false},
		{"an ordinary failure taken for a refusal", passesFailure, scripted(`exec "$@"`, sandbox.Dialect{Denials: []string{"no such"}}), false},
		{"an ordinary failure taken for the runner's", passesFailure, scripted(`exec "$@"`, reading("NO such")), false},
		{"a rule for another exit code", passesFailure, scripted(`exec "$@"`, sandbox.Dialect{
			Failures: []sandbox.FailureRule{{ExitCodes: []int{125}, Fatal: []string{"open"}}},
		}), false},
		{"a notice taken for a failure", passesFailure, scripted(`echo runner: notice >&2; exec "$@"`, reading("runner: ")), false},
		{"a notice set aside", passesFailure, scripted(`echo runner: notice >&2; exec "$@"`, sandbox.Dialect{
			Failures: []sandbox.FailureRule{{Fatal: []string{"runner: ", " "}, Informational: []string{"Runner: notice"}}},
		}), true},
		{"a status that tells of the start", passesFailure, withStatus, true},
		{"a status that denies the start", passesFailure, changing(withStatus, func(c *sandbox.Confinement) {
			c.Status = &sandbox.Status{Read: func([]byte) sandbox.StartState { return sandbox.StartUnknown }}
		}), false},

		{"a failure that no rule knows", knowsMissingProgram, scripted(`exec "$@"`, reading("bwrap: ")), false},
		{"a failure that a rule knows", knowsMissingProgram, scripted(`exec "$@"`, reading("runner: ")), true},
		{"a failure with another exit code", knowsMissingProgram, scripted(`exec "$@"`, sandbox.Dialect{
			Failures: []sandbox.FailureRule{{ExitCodes: []int{1}, Fatal: []string{"runner: "}}},
		}), false},
		{"a failure that looks like success", knowsMissingProgram, scripted(`"$@"; exit 0`, reading("runner: ")), false},
		{"a status that tells of the failure", knowsMissingProgram, withStatus, true},
		{"a status that makes up the start", knowsMissingProgram, changing(withStatus, func(c *sandbox.Confinement) {
			c.Status = &sandbox.Status{Read: func([]byte) sandbox.StartState { return sandbox.CommandStarted }}
		}), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if found := examine(t, test.provider, test.check); (len(found) == 0) != test.keeps {
				t.Errorf("%q", found)
			}
		})
	}
	nothingLeft(t)
}

// On Linux, programs have a loader that says what it cannot load, and it is
// known whose process is whose.
func TestBreachesAreFoundOutOnLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("is about Linux")
	}
	withStatus := apart(t)
	leader := func(name func(report []byte) int) sandbox.Provider {
		return changing(withStatus, func(c *sandbox.Confinement) {
			c.Status = &sandbox.Status{Read: withStatus.status.Read, Leader: name}
		})
	}
	inside := scripted(`exec env LD_PRELOAD="$0" "$@"`, sandbox.Dialect{})
	helped := scripted(`exec env LD_PRELOAD="$0" env "$@"`, sandbox.Dialect{})
	for _, test := range []struct {
		name     string
		check    func(context.Context, *examination) error
		provider sandbox.Provider
		keeps    bool
	}{
		{"a variable that acts on the runner", guardsStartup, scripted(`exec "$@"`, sandbox.Dialect{}), false},
		{"a variable that is set inside", guardsStartup, setInside(inside), true},
		{"a variable that acts on what is started inside before the command", guardsStartup, setInside(helped), true},

		{"the command leads", namesLeader, withStatus, true},
		{"the runner leads", namesLeader, leader(nil), false},
		{"the runner leads, at first", namesLeader, leader(func([]byte) int { return 0 }), false},
		{"somebody else leads", namesLeader, leader(func([]byte) int { return os.Getppid() }), false},
		{"a number that was cut short leads", namesLeader, leader(func(report []byte) (pid int) {
			fmt.Sscanf(string(report), `{"PID":%d`, &pid)
			return pid
		}), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if found := examine(t, test.provider, test.check); (len(found) == 0) != test.keeps {
				t.Errorf("%q", found)
			}
		})
	}
	nothingLeft(t)
}

// setInside gives LD_PRELOAD to the script as its name instead, which it has
// to set itself.
func setInside(p sandbox.Provider) altered {
	return altered{p, func(ctx context.Context, req sandbox.Request, p sandbox.Provider) (*sandbox.Confinement, error) {
		c, err := p.Confine(ctx, req)
		if err == nil {
			c.Argv[3] = c.Env["LD_PRELOAD"]
			delete(c.Env, "LD_PRELOAD")
		}
		return c, err
	}}
}

// TestAProviderThatKeepsTheContract is the control for those that break it.
func TestAProviderThatKeepsTheContract(t *testing.T) {
	for _, c := range clauses {
		if found := examine(t, fake{argv: asRequested}, c.check); len(found) > 0 {
			t.Errorf("%s: %q", c.name, found)
		}
	}
}

// TestControlsThatFail has a spawner that loses what it is to start.
func TestControlsThatFail(t *testing.T) {
	lossy := func(ctx context.Context, l Launch) (Ended, error) {
		l.Confinement = &sandbox.Confinement{Argv: []string{"/bin/sh", "-c", ":"}}
		return run(ctx, l)
	}
	checks := []func(context.Context, *examination) error{passesEnvironment, keepsDirectory, passesFailure, knowsMissingProgram}
	for _, check := range checks {
		t.Run(nameOf(check), func(t *testing.T) {
			s := openSuite(t, fake{argv: asRequested}, Options{Start: lossy})
			if err := check(t.Context(), &examination{s, sandbox.ReadOnly, "it"}); !errors.Is(err, ErrProbe) {
				t.Error(err)
			}
		})
	}
}

// A breach reaches whoever runs the suite.
func TestABreachIsReported(t *testing.T) {
	r := &recorder{T: t}
	broken := changing(fake{argv: asRequested}, func(c *sandbox.Confinement) { c.Env = nil })
	report(r, broken, Options{OneAttempt: true, Modes: []sandbox.Mode{sandbox.ReadOnly}})
	if !slices.ContainsFunc(r.errors, func(text string) bool {
		return strings.HasPrefix(text, "broken contract: read-only, the environment arrives: ")
	}) {
		t.Errorf("%q", r.errors)
	}
}

func nameOf(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }

func openSuite(t *testing.T, provider sandbox.Provider, options Options) *suite {
	t.Helper()
	oneAtATime.Lock()
	t.Cleanup(oneAtATime.Unlock)
	g, err := openGround()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.close(); err != nil {
			t.Error(err)
		}
	})
	return &suite{ground: g, provider: provider, options: options.defaults()}
}

// examine checks one clause under the widest mode that confines, and returns
// the breaches.
func examine(t *testing.T, provider sandbox.Provider, check func(context.Context, *examination) error) (breaches []string) {
	t.Helper()
	t.Run("examine", func(t *testing.T) { // so that it cleans up
		s := openSuite(t, provider, Options{})
		if err := check(t.Context(), &examination{s, sandbox.WorkspaceWrite, "it"}); err != nil {
			t.Fatal(err)
		}
		for _, v := range s.table.Violations {
			breaches = append(breaches, v.Detail)
		}
	})
	return breaches
}
